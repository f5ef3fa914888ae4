/**
 * MSW 2 and 3 handlers that send requests to the emulator.
 *
 * @module identity-service-sdk/msw
 */

// So that what the entries share is one file of the build.
import './index.ts'

export { type MswHandlersOptions, mswHandlers } from './msw/handlers.ts'
