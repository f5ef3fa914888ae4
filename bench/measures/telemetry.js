// Measures what traces and metrics add to a call, here and with the instrumentation of undici.
import { compareCpu } from '../cpu.js'
import { report } from '../result.js'
import { startServer } from '../servers/start.js'

const server = await startServer('api')
const how = { of: 'call', times: 160, atOnce: 16, settings: [server.origin] }
const tables = [
  await compareCpu('telemetry', {
    ...how,
    title: 'This package',
    names: ['sessions.create', 'sessions.create (control)', 'sessions.create with openTelemetry()'],
    own: { 'sessions.create': undefined, 'sessions.create with openTelemetry()': undefined },
  }),
  await compareCpu('telemetry', {
    ...how,
    title: 'undici alone',
    names: ['undici.request', 'undici.request with instrumentation-undici'],
    own: {},
  }),
]
server.stop()
report('telemetry', tables)
