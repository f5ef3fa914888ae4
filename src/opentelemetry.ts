/**
 * Traces and metrics with OpenTelemetry.
 *
 * @module identity-service-sdk/opentelemetry
 */

export { type OpenTelemetryOptions, openTelemetry } from './frameworks/open-telemetry.ts'
export type { Instrumentation } from './observe/instrumentation.ts'
