// Sends billed checks. With AHEAD_MS its clocks are ahead by so many milliseconds.
import { setTimeout as pause } from 'node:timers/promises'
import { VerificationClient } from 'identity-service-sdk'
import { handleRequests, sharedStore } from './shared-store.mjs'

const { AHEAD_MS, BASE_URL = '', CALLS, KEY_CALLS, PER_MS } = process.env
const ahead = Number(AHEAD_MS)
const [wall, monotonic] = [Date.now, performance.now.bind(performance)]
Date.now = () => wall() + ahead
performance.now = () => monotonic() + ahead

/**
 * Adds the time at which a request is sent, by a clock that all processes of the machine share.
 *
 * @type {typeof fetch}
 */
const stampedFetch = (url, init) => {
  const headers = new Headers(init?.headers)
  headers.set('x-sent-at', String(process.hrtime.bigint()))
  return fetch(url, { ...init, headers })
}

let operations = 0
const store = await sharedStore()
const client = new VerificationClient({
  baseUrl: BASE_URL,
  apiKey: 'key_of_the_campaign',
  maxRetries: 3,
  fetch: stampedFetch,
  spendLimit: {
    calls: Number(CALLS),
    perMs: Number(PER_MS),
    perKey: KEY_CALLS === undefined ? undefined : { calls: Number(KEY_CALLS), perMs: Number(PER_MS) },
    store: new Proxy(store, {
      get: (target, name) => {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (/** @type {unknown[]} */ ...given) => {
          operations++
          return Reflect.apply(value, target, given)
        }
      },
    }),
  },
})

handleRequests(
  async (
    /** @type {{ callers: number, forMs: number, pauseMs: number, keys?: number }} */
    { callers, forMs, pauseMs, keys },
  ) => {
    /** @type {Record<string, number>} */
    const results = {}
    let longestMs = 0
    operations = 0
    const until = monotonic() + forMs
    const call = async () => {
      while (monotonic() < until) {
        const startedAt = monotonic()
        // Some keys are used much more often than others.
        const spendKey = keys === undefined ? undefined : `user ${Math.floor(keys * Math.random() ** 4)}`
        const options = { spendKey, headers: { 'x-spend-key': spendKey } }
        const result = await client.checks.age({ dob: '1990-01-01', bands: [18] }, options).then(
          () => 'sent',
          (error) => (error.code === 'spend_limit' ? error.reason : error.code),
        )
        results[result] = (results[result] ?? 0) + 1
        if (result === 'store_failed') longestMs = Math.max(longestMs, monotonic() - startedAt)
        await pause(Math.random() * pauseMs * 2)
      }
    }
    await Promise.all(Array.from({ length: callers }, call))
    return { results, operations, longestMs: Math.round(longestMs) }
  },
)
