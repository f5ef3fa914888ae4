import { NodeSDK } from '@opentelemetry/sdk-node'
import { configure } from 'identity-service-sdk'
import { openTelemetry } from 'identity-service-sdk/opentelemetry'

// Reads OTEL_SERVICE_NAME and the other OTEL_ variables.
const sdk = process.env.OTEL_EXPORTER_OTLP_ENDPOINT ? new NodeSDK() : undefined
sdk?.start()
// For all clients, managers and handlers of the process. Records of level `info` and above are logged.
configure({ instrumentation: openTelemetry(), logger: { ...console, debug: () => {} } })

/** Sends the spans that are left. A collector that is down does not fail the shutdown. */
export const endTelemetry = async () => sdk?.shutdown().catch((error) => console.error('telemetry', String(error)))
