/**
 * Traces and metrics with OpenTelemetry.
 *
 * @module identity-service-sdk/opentelemetry
 */

// So that what the entries share is one file of the build.
import './index.ts'

export { type OpenTelemetryOptions, openTelemetry } from './frameworks/open-telemetry.ts'
export type { Instrumentation } from './observe/instrumentation.ts'
