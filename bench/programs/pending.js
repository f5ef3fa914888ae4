// Keeps the given number of lookups in flight and prints what they cost. Arguments: the row, the origin, the number.

import { get as getPlain } from 'node:http'
import { get } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { ownDependency, sdk } from '../own.js'

const [way = '', origin = '', many = '1'] = process.argv.slice(2)
const apiKey = 'key_bench_0123456789'
const params = { license_state: 'CA', license_number: 'A-12345', license_type: 'MD' }

/** @param {import('identity-service-sdk').ClientOptions} options */
function own(options) {
  const client = new sdk.VerificationClient({ baseUrl: origin, apiKey, ...options })
  return () => client.checks.credential(params, { maxRetries: 0 })
}

/** @param {object} options the options of the pool */
async function raw(options) {
  const { Pool } = await ownDependency('undici')
  const pool = new Pool(origin, options)
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
  const path = '/api/v2/credential-verification'
  return async () => {
    const { body } = await pool.request({ path, method: 'POST', headers, body: JSON.stringify(params) })
    return body.json()
  }
}

/** @type {Record<string, () => Promise<() => PromiseLike<unknown>> | (() => PromiseLike<unknown>)>} */
const ways = {
  raw: () => raw({}),
  own: () => own({}),
  ownBounded: () => own({ connections: 1000 }),
  ownHttp2: () => own({ http2: true, connections: 1000 }),
  ownHttp2Reads: () => {
    const client = new sdk.VerificationClient({ baseUrl: origin, apiKey, http2: true, connections: 1000 })
    return () => client.experimental.workflows.list({}, { maxRetries: 0 })
  },
  fetch: () => own({ fetch }),
}

/** @returns {Promise<{ waiting: number, connections: number }>} */
const counts = () =>
  new Promise((resolve, reject) => {
    const request = origin.startsWith('https') ? get : getPlain
    request(`${origin}/counts`, { agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve(JSON.parse(text)))
    }).on('error', reject)
  })

function memory() {
  globalThis.gc?.()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: heapUsed + external, rss }
}

const call = await ways[way]?.()
if (call === undefined) throw new Error(`unknown row ${way}`)
await call()
await pause(100)
const before = memory()
const cpuBefore = process.cpuUsage()
const startedAt = performance.now()
let isOver = false
const ended = Promise.allSettled(Array.from({ length: Number(many) }, call)).finally(() => {
  isOver = true
})

// If connections are bounded, the remaining calls wait in this process and not at the server. On a busy machine all may
// have ended before the first count.
let seen = { waiting: 0, connections: 0 }
for (let steady = 0; seen.waiting < Number(many) && steady < 4 && !isOver; ) {
  await pause(150)
  const now = await counts()
  steady = now.waiting > 0 && now.waiting <= seen.waiting ? steady + 1 : 0
  if (now.waiting >= seen.waiting) seen = now
}
const held = memory()
const settled = await ended
const { user, system } = process.cpuUsage(cpuBefore)
const kib = (/** @type {number} */ bytes) => bytes / 1024 / Number(many)
console.log(
  JSON.stringify({
    succeeded: settled.filter(({ status }) => status === 'fulfilled').length,
    failed: settled.filter(({ status }) => status === 'rejected').length,
    waiting: seen.waiting,
    sockets: seen.connections - 1,
    heap: kib(held.heap - before.heap),
    rss: kib(held.rss - before.rss),
    cpu: (user + system) / Number(many),
    seconds: (performance.now() - startedAt) / 1000,
  }),
)
process.exit()
