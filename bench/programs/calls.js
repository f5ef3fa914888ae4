// Prints what calls cost on the Node that runs this.
import { byMode } from '../harness/arguments.js'
import { atOnce } from '../harness/at-once.js'
import { callRows } from '../harness/call-rows.js'
import { peer } from '../harness/peers.js'
import { inRounds } from '../harness/rounds.js'
import { startServer } from '../harness/server.js'

const server = await startServer('api')
const { rows, close } = callRows(server.origin)
const { default: Stripe } = await peer('stripe')
const stripe = new Stripe('sk_test_bench', { host: '127.0.0.1', port: server.port, protocol: 'http' })
const { 'sessions.create over fetch': _, ...direct } = rows
const measured = await inRounds(
  {
    ...direct,
    stripe: atOnce(16, () => stripe.customers.create({ name: 'user-42', metadata: { flow: 'wf_1' } })),
  },
  { rounds: byMode(11, 41), blockMs: byMode(50, 120) },
)
server.stop()
await close()
console.log(JSON.stringify({ version: process.version, rows: Object.fromEntries(measured) }))
process.exit()
