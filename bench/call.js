// What a call costs beside `undici.request` on the same pool settings: CPU of this process, in interleaved rounds,
// against a server in a process of its own. Run with `npm run bench`; quote the ratios, not the times.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { VerificationClient } from 'identity-service-sdk'
import { Pool } from 'undici'

const session = {
  session_id: 'sess_1',
  status: 'NOT_STARTED',
  url: 'https://id.example.com/s/1',
  session_token: 'token',
  features: ['id_verification', 'liveness'],
  redirect_url: null,
  expires_at: '2026-01-01T00:00:00Z',
}

if (process.argv[2] === 'serve') {
  const answer = JSON.stringify({ success: true, data: session, error: null })
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_1' }).end(answer)
    })
  }).listen(0, '127.0.0.1', () => {
    const address = /** @type {import('node:net').AddressInfo} */ (server.address())
    process.send?.(address.port)
  })
} else await measure()

async function measure() {
  const server = fork(new URL(import.meta.url), ['serve'])
  const [port] = await once(server, 'message')
  const origin = `http://127.0.0.1:${port}`
  const client = new VerificationClient({
    baseUrl: origin,
    apiKey: 'key_bench_0123456789',
    onEvent: () => {},
  })
  const overFetch = new VerificationClient({ baseUrl: origin, apiKey: 'key_bench_0123456789', fetch })
  const pool = new Pool(origin)
  const params = { workflow_id: 'wf_1', vendor_data: 'user-42' }
  const headers = { 'x-api-key': 'key_bench_0123456789', 'content-type': 'application/json' }
  const raw = async () => {
    const request = { path: '/api/v2/session', method: 'POST', headers, body: JSON.stringify(params) }
    const { body } = await pool.request(/** @type {import('undici').Dispatcher.RequestOptions} */ (request))
    return body.json()
  }
  /** @type {Record<string, () => PromiseLike<unknown>>} */
  const rows = {
    'undici.request': raw,
    'undici.request again': raw,
    'sessions.create': () => client.sessions.create(params),
    'sessions.create over fetch': () => overFetch.sessions.create(params),
  }
  /** @type {Record<string, number[]>} */
  const costs = Object.fromEntries(Object.keys(rows).map((name) => [name, []]))
  for (let round = 0; round < 12; round++) {
    for (const [name, call] of Object.entries(rows)) {
      const cost = await cpuOf(call, 2_000, 16)
      // The first rounds are for the compiler.
      if (round >= 3) costs[name]?.push(cost)
    }
  }
  const base = median(costs['undici.request'] ?? [])
  console.log(`Node ${process.version}, 16 calls at a time, CPU a call`)
  for (const [name, list] of Object.entries(costs)) {
    console.log(
      `${name.padEnd(28)} ${median(list).toFixed(1).padStart(7)} us  x ${(median(list) / base).toFixed(2)}`,
    )
  }
  server.kill()
  await Promise.all([client.close(), pool.close()])
}

/**
 * @param {() => PromiseLike<unknown>} call
 * @param {number} calls
 * @param {number} width
 */
async function cpuOf(call, calls, width) {
  const before = process.cpuUsage()
  let left = calls
  const worker = async () => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: width }, worker))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}

/** @param {number[]} list */
function median(list) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN
}
