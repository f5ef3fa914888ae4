import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/emulator.ts'
import { apiKey, application, organization, redirectUri, start } from '../support/service.ts'

/** A loopback host, because the control API serves no other. */
const origin = 'http://127.0.0.1:4010'

const authorization = new URLSearchParams({
  client_id: application.client_id,
  redirect_uri: redirectUri,
  response_type: 'code',
  scope: 'openid',
  state: 'state_1',
})

/** Paths that a form of a web page can be sent to, from each part of the emulator. */
const paths = [
  '/api/auth/oidc/token',
  `/api/auth/oidc/authorize?${authorization}`,
  '/api/auth/tpsso/token',
  '/api/v2/session',
  '/api/v2/liveness',
  '/api/sdk/members',
  '/s/unknown',
  '/unknown',
  '/',
  '/_emulator/emulator.reset',
  '/_emulator/faults/faults.add',
  '/_emulator/api/reset',
  '/_emulator/api/restore',
  '/_emulator/unknown',
]

const foreign: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
]

const bodies = () => [
  new URLSearchParams({ grant_type: 'authorization_code', effect: 'reset', choice: 'approve' }),
  new FormData(),
  '{"grant_type":"authorization_code"}',
]

/** An emulator in which a fault waits for the next request to any operation. */
function withFault() {
  const emulator = createEmulator({
    seed: 1,
    clock: () => start,
    apiKey: apiKey['X-API-Key'],
    org: { clientId: organization['X-Client-Id'], clientSecret: organization['X-Client-Secret'] },
    oidc: {
      clientId: application.client_id,
      clientSecret: application.client_secret,
      redirectUris: [redirectUri],
    },
  })
  emulator.faults.add({ status: 503, code: { unlisted: 'engine_unreachable' } })
  const post = (path: string, headers: Record<string, string>, body: URLSearchParams | FormData | string) =>
    emulator.fetch(new Request(origin + path, { method: 'POST', headers, body }))
  return { emulator, post }
}

it.each(paths.flatMap((path) => foreign.map((headers) => ({ path: path.split('?')[0], address: path, headers }))))(
  'a form that another origin posts to $path with $headers gets 403 and changes nothing',
  async ({ address, headers }) => {
    const { emulator, post } = withFault()

    for (const body of bodies()) {
      const response = await post(address, headers, body)
      expect([response.status, response.headers.get('x-emulator')]).toEqual([403, '1'])
      expect(await response.text()).toMatch(/another site|other sites/)
    }

    expect([emulator.requests, emulator.ledger]).toEqual([[], []])
    const own = { grant_type: 'refresh_token', ...application }
    const [next, untouched] = await Promise.all(
      [post, withFault().post].map((send) => send('/api/auth/oidc/token', {}, new URLSearchParams(own))),
    )
    expect([next?.status, next?.headers.get('x-request-id')]).toEqual([503, untouched?.headers.get('x-request-id')])
  },
)

it.each([[{}], [{ origin }], [{ 'sec-fetch-site': 'same-origin' }], [{ 'sec-fetch-site': 'none' }]])(
  'a request to the token endpoint with the headers %j is served',
  async (headers) => {
    const { post } = withFault()
    const fields = { grant_type: 'refresh_token', ...application }

    expect((await post('/api/auth/oidc/token', headers, new URLSearchParams(fields))).status).toBe(503)
  },
)

it('a page of another site can link to the consent page', async () => {
  const { emulator } = withFault()
  emulator.faults.clear()
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }

  const response = await emulator.fetch(`${origin}/api/auth/oidc/authorize?${authorization}`, { headers })

  expect(response.status).toBe(200)
})
