/**
 * MSW 2 and 3 handlers that send requests to the emulator.
 *
 * @module identity-service-sdk/msw
 */

export { type MswHandlersOptions, mswHandlers } from './msw/handlers.ts'
