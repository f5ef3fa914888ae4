/**
 * The emulator behind MSW 2 or 3.
 *
 * @module identity-service-sdk/msw
 */

export { type MswHandlersOptions, mswHandlers } from './msw/handlers.ts'
