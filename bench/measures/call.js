// Measures a call, compared with `undici.request` and with similar calls through other packages.
import { byMode } from '../harness/arguments.js'
import { ratioGroup, ratioOf } from '../harness/ratio-group.js'
import { writeResult } from '../harness/result.js'
import { inRounds } from '../harness/rounds.js'
import { startServer } from '../harness/server.js'

const own = ['sessions.create', 'sessions.create over fetch']
const server = await startServer('api')
const measured = await inRounds(
  'call',
  [
    'undici.request',
    'undici.request (control)',
    'sessions.create',
    'stripe',
    'global fetch',
    'sessions.create over fetch',
    'openai',
    'workos',
    'svix',
    'resend',
  ],
  { own, rounds: byMode(7, 31), blockMs: byMode(60, 250), settings: [server.origin] },
)
server.stop()

writeResult('call', {
  title: 'CPU of a call, 16 at a time',
  what: 'CPU of the calling process for a small POST to a local server, as a multiple of undici.request in the same rounds.',
  groups: [ratioGroup('Small POST, 16 at a time', measured, { own, work: 'call' })],
  targets: [
    {
      what: 'sessions.create against undici.request',
      most: 1.25,
      measured: ratioOf(measured, 'sessions.create'),
      unit: 'x',
    },
    {
      what: 'sessions.create against stripe in the same run',
      most: 1,
      measured: ratioOf(measured, 'sessions.create') / ratioOf(measured, 'stripe'),
      unit: 'x',
    },
  ],
  peers: ['stripe', 'openai', '@workos-inc/node', 'svix', 'resend'],
})
