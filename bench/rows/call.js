import { ownDependency, sdk } from '../harness/own.js'
import { peer } from '../harness/peers.js'

const apiKey = 'key_bench_0123456789'
const params = { workflow_id: 'wf_1', vendor_data: 'user-42' }
const path = '/api/v2/session'
const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
const name = 'user-42'
const metadata = { flow: 'wf_1' }

/**
 * Returns a row that keeps 16 calls in flight.
 *
 * @param {() => PromiseLike<unknown>} call
 * @returns {import('../harness/rounds.js').Row}
 */
const sixteen = (call) => async (times) => {
  let left = times
  const one = async () => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: 16 }, one))
}

/**
 * A small POST: with undici alone, through this package with everything enabled (params and response validated, a hook
 * for attempts, retries), and through other packages with their defaults.
 *
 * @param {string} origin
 * @returns {Record<string, () => Promise<import('../harness/rounds.js').Row>>}
 */
export function rows(origin) {
  const port = Number(new URL(origin).port)
  const bare = async () => {
    const { Pool } = await ownDependency('undici')
    const pool = new Pool(origin)
    return sixteen(async () => {
      const { body } = await pool.request({ path, method: 'POST', headers, body: JSON.stringify(params) })
      return body.json()
    })
  }
  const own = (/** @type {{ fetch?: typeof fetch }} */ transport) => async () => {
    const options = { baseUrl: origin, apiKey, onEvent: () => {}, ...transport }
    const client = new sdk.VerificationClient({ ...options, responseValidation: 'strict' })
    return sixteen(() => client.sessions.create(params))
  }
  return {
    'undici.request': bare,
    'undici.request (control)': bare,
    'sessions.create': own({}),
    'sessions.create over fetch': own({ fetch: globalThis.fetch }),
    'global fetch': async () =>
      sixteen(async () => {
        const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(params) })
        return response.json()
      }),
    stripe: async () => {
      const { default: Stripe } = await peer('stripe')
      const stripe = new Stripe('sk_test_bench', { host: '127.0.0.1', port, protocol: 'http' })
      return sixteen(() => stripe.customers.create({ name, metadata }))
    },
    openai: async () => {
      const { default: OpenAI } = await peer('openai')
      const openai = new OpenAI({ apiKey: 'bench', baseURL: origin })
      return sixteen(() => openai.batches.create({ metadata: { ...metadata, name } }))
    },
    workos: async () => {
      const { WorkOS } = await peer('@workos-inc/node')
      const workos = new WorkOS('sk_bench', { apiHostname: '127.0.0.1', port, https: false })
      return sixteen(() => workos.organizations.createOrganization({ name, metadata }))
    },
    svix: async () => {
      const { Svix } = await peer('svix')
      const svix = new Svix('bench', { serverUrl: origin })
      return sixteen(() => svix.application.create({ name, metadata }))
    },
    resend: async () => {
      const { Resend } = await peer('resend')
      const resend = new Resend('re_bench', { baseUrl: origin })
      return sixteen(() => resend.contacts.create({ email: 'user-42@example.com', firstName: name }))
    },
  }
}
