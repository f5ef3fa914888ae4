import { ownDependency, sdk } from '../own.js'
import { peer } from '../peers.js'

const apiKey = 'key_bench_0123456789'
const params = { workflow_id: 'wf_1', vendor_data: 'user-42' }
const path = '/api/v2/session'
const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
const name = 'user-42'
const metadata = { flow: 'wf_1' }

/**
 * A small POST: with undici alone, through this package with everything enabled (params and response validated, a hook
 * for attempts, retries), and through other packages with their defaults.
 *
 * @param {string} origin
 * @returns {Record<string, () => Promise<() => PromiseLike<unknown>>>}
 */
export function works(origin) {
  const port = Number(new URL(origin).port)
  const bare = async () => {
    const { Pool } = await ownDependency('undici')
    const pool = new Pool(origin)
    return async () => {
      const { body } = await pool.request({ path, method: 'POST', headers, body: JSON.stringify(params) })
      return body.json()
    }
  }
  const own = (/** @type {{ fetch?: typeof fetch }} */ transport) => async () => {
    const options = { baseUrl: origin, apiKey, onEvent: () => {}, ...transport }
    const client = new sdk.VerificationClient({ ...options, responseValidation: 'strict' })
    return () => client.sessions.create(params)
  }
  return {
    'undici.request': bare,
    'undici.request (control)': bare,
    'sessions.create': own({}),
    stripe: async () => {
      const { default: Stripe } = await peer('stripe')
      const stripe = new Stripe('sk_test_bench', { host: '127.0.0.1', port, protocol: 'http' })
      return () => stripe.customers.create({ name, metadata })
    },
    'global fetch': async () => async () => {
      const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(params) })
      return response.json()
    },
    'sessions.create over fetch': own({ fetch: globalThis.fetch }),
    openai: async () => {
      const { default: OpenAI } = await peer('openai')
      const openai = new OpenAI({ apiKey: 'bench', baseURL: origin })
      return () => openai.batches.create({ metadata: { ...metadata, name } })
    },
    workos: async () => {
      const { WorkOS } = await peer('@workos-inc/node')
      const workos = new WorkOS('sk_bench', { apiHostname: '127.0.0.1', port, https: false })
      return () => workos.organizations.createOrganization({ name, metadata })
    },
    svix: async () => {
      const { Svix } = await peer('svix')
      const svix = new Svix('bench', { serverUrl: origin })
      return () => svix.application.create({ name, metadata })
    },
    resend: async () => {
      const { Resend } = await peer('resend')
      const resend = new Resend('re_bench', { baseUrl: origin })
      return () => resend.contacts.create({ email: 'user-42@example.com', firstName: name })
    },
  }
}
