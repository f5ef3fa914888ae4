// What a call costs beside `undici.request` and beside the same call through other packages.
import { byMode } from '../harness/arguments.js'
import { atOnce } from '../harness/at-once.js'
import { callRows } from '../harness/call-rows.js'
import { peer } from '../harness/peers.js'
import { ratioGroup, ratioOf } from '../harness/ratio-group.js'
import { writeResult } from '../harness/result.js'
import { inRounds } from '../harness/rounds.js'
import { startServer } from '../harness/server.js'

const server = await startServer('api')
const { port, origin } = server
const { rows, close } = callRows(origin)

const { default: Stripe } = await peer('stripe')
const { default: OpenAI } = await peer('openai')
const { WorkOS } = await peer('@workos-inc/node')
const { Svix } = await peer('svix')
const { Resend } = await peer('resend')
const stripe = new Stripe('sk_test_bench', { host: '127.0.0.1', port, protocol: 'http' })
const openai = new OpenAI({ apiKey: 'bench', baseURL: origin })
const workos = new WorkOS('sk_bench', { apiHostname: '127.0.0.1', port, https: false })
const svix = new Svix('bench', { serverUrl: origin })
const resend = new Resend('re_bench', { baseUrl: origin })

/** @param {() => Promise<unknown>} call */
const sixteen = (call) => atOnce(16, call)
const measured = await inRounds(
  {
    ...rows,
    stripe: sixteen(() => stripe.customers.create({ name: 'user-42', metadata: { flow: 'wf_1' } })),
    openai: sixteen(() => openai.batches.create({ metadata: { user: 'user-42', flow: 'wf_1' } })),
    workos: sixteen(() =>
      workos.organizations.createOrganization({ name: 'user-42', metadata: { flow: 'wf_1' } }),
    ),
    svix: sixteen(() => svix.application.create({ name: 'user-42', metadata: { flow: 'wf_1' } })),
    resend: sixteen(() => resend.contacts.create({ email: 'user-42@example.com', firstName: 'wf_1' })),
  },
  { rounds: byMode(11, 41), blockMs: byMode(50, 120) },
)
server.stop()
await close()

writeResult('call', {
  title: 'CPU of a call, 16 at a time',
  what: 'CPU of the calling process for a small POST to a local server, as a multiple of undici.request in the same rounds.',
  groups: [
    ratioGroup('Small POST, 16 at a time', measured, {
      own: ['sessions.create', 'sessions.create over fetch'],
      work: 'call',
    }),
  ],
  targets: [
    {
      what: 'sessions.create against undici.request',
      most: 1.2,
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
process.exit()
