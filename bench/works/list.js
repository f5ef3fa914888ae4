import { sdk } from '../own.js'

const member = (/** @type {number} */ i) => ({
  id: i,
  member_id: `mem_${i}`,
  first_name: 'Zoë',
  last_name: 'Ångström',
  email: `person.${i}@example.com`,
  role: 'member',
  status: 'active',
  svc_id: `svc_${i}`,
  active: true,
  created_at: '2026-01-01T00:00:00Z',
})
const session = (/** @type {number} */ i) => ({
  session_id: `sess_${i}`,
  status: 'APPROVED',
  url: `https://id.example.com/verify/${i}`,
  session_token: `token_${i}`,
  features: ['id_verification', 'liveness'],
  redirect_url: 'https://app.example.com/return',
  expires_at: '2026-01-02T00:00:00Z',
  vendor_data: `user-${i}`,
})

const envelope = (/** @type {unknown} */ data) =>
  new TextEncoder().encode(JSON.stringify({ success: true, data, error: null }))

const baseUrl = 'https://id.example.com'

/**
 * A list, and `JSON.parse` of the same bytes. Nothing is sent, so that only what is done with a response is measured.
 *
 * @param {string} kind `members` or `sessions`
 * @param {string} length of the list
 * @returns {Record<string, () => Promise<() => unknown>>}
 */
export function works(kind, length) {
  const count = Number(length)
  const isRoster = kind === 'members'
  const items = Array.from({ length: count }, (_, i) => (isRoster ? member(i) : session(i)))
  const bytes = envelope(isRoster ? { organization: { id: 1, name: 'Org' }, members: items } : items)
  const headers = new Headers({ 'content-type': 'application/json' })
  // Not a `Response`, which would copy the bytes.
  const fetch = /** @type {typeof globalThis.fetch} */ (
    /** @type {unknown} */ (async () => ({ status: 200, headers, arrayBuffer: async () => bytes.buffer }))
  )
  // As asynchronous as any client, because objects that outlive a turn of the event loop cost the garbage collector
  // more.
  const bare = async () => async () => {
    const response = await fetch(baseUrl)
    return JSON.parse(Buffer.from(await response.arrayBuffer()).toString())
  }
  return {
    'JSON.parse': bare,
    'JSON.parse (control)': bare,
    [`${kind}.list`]: async () => {
      if (isRoster) {
        const org = new sdk.OrgClient({
          baseUrl,
          clientId: 'client_bench',
          clientSecret: 'secret_bench_0123456789',
          fetch,
        })
        return () => org.members.list()
      }
      const client = new sdk.VerificationClient({ baseUrl, apiKey: 'key_bench_0123456789', fetch })
      return () => client.sessions.list()
    },
  }
}
