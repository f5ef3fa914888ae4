export { type MswHandlersOptions, mswHandlers } from './msw/handlers.ts'
