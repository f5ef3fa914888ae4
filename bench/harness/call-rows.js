import { atOnce } from './at-once.js'
import { ownDependency, sdk } from './own.js'

const { Pool } = await ownDependency('undici')
const apiKey = 'key_bench_0123456789'
const params = { workflow_id: 'wf_1', vendor_data: 'user-42' }
const path = '/api/v2/session'
const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }

/**
 * What one call costs, bare and with everything that this package does: params checked, answer validated against its
 * schema, attempts told to a hook, retries at hand.
 *
 * @param {string} origin
 */
export function callRows(origin) {
  const options = {
    baseUrl: origin,
    apiKey,
    onEvent: () => {},
    responseValidation: /** @type {const} */ ('strict'),
  }
  const client = new sdk.VerificationClient(options)
  const overFetch = new sdk.VerificationClient({ ...options, fetch: globalThis.fetch })
  const pool = new Pool(origin)
  const raw = async () => {
    const { body } = await pool.request({ path, method: 'POST', headers, body: JSON.stringify(params) })
    return body.json()
  }
  const fetched = async () => {
    const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(params) })
    return response.json()
  }
  return {
    rows: {
      'undici.request': atOnce(16, raw),
      'undici.request again': atOnce(16, raw),
      'sessions.create': atOnce(16, () => client.sessions.create(params)),
      'global fetch': atOnce(16, fetched),
      'sessions.create over fetch': atOnce(16, () => overFetch.sessions.create(params)),
    },
    close: () => Promise.all([client.close(), pool.close()]),
  }
}
