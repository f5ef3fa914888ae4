import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/emulator.ts'
import { OidcClient, OrgClient, VerificationClient, validateIdToken } from '../../../src/index.ts'
import { images } from '../../support/fixtures.ts'
import { respond } from '../../support/scripted-fetch.ts'
import { testClient } from '../../support/verification-client.ts'

it('closes the stream of an image when the fetch cancels the body', async () => {
  let isOpen = true
  async function* photo() {
    try {
      for (;;) yield images.png
    } finally {
      isOpen = false
    }
  }
  const open: boolean[] = []
  const fetch = async (_: unknown, init: RequestInit = {}) => {
    const reader = (init.body as ReadableStream<Uint8Array>).getReader()
    for (let chunks = 0; chunks < 4; chunks++) await reader.read()
    open.push(isOpen)
    await reader.cancel()
    open.push(isOpen)
    return respond(413)(new AbortController().signal)
  }
  const { client } = testClient({ fetch, maxRetries: 0 })

  await expect(client.checks.liveness({ image: photo() })).rejects.toMatchObject({ status: 413 })
  expect(open).toEqual([true, false])
})

/**
 * Uses every way by which the package sends a request, through a `fetch` of the caller. Returns what the `fetch` got.
 */
async function sentBy(wrap: (init: RequestInit) => RequestInit) {
  const emulator = createEmulator()
  const { verification, oidc: signIn, org } = emulator.options
  const inits: (RequestInit & { cache?: string })[] = []
  const fetch: typeof globalThis.fetch = (url, init = {}) => {
    inits.push(init)
    return emulator.fetch(new Request(url, wrap(init)))
  }
  const client = new VerificationClient({ ...verification, fetch })
  const { session_id } = await client.sessions.create()
  await client.checks.liveness({ image: images.png })
  await client.checks.liveness({ image: new Blob([images.png]).stream() }, { onUploadProgress() {} })
  await client.request({ method: 'GET', path: `/api/v2/session/${session_id}` })
  await new OrgClient({ ...org, fetch }).members.list()
  const oidc = new OidcClient({ ...signIn, fetch })
  const login = await oidc.createAuthorization()
  const { id_token = '' } = await oidc.handleCallback(emulator.signIn.approve(login.url), login)
  const jwks = new URL('/api/auth/oidc/jwks.json', signIn.baseUrl)
  const { baseUrl: issuer, clientId: audience } = signIn
  await validateIdToken(id_token, { jwks, issuer, audience, nonce: login.nonce, fetch })
  return { inits, traced: emulator.requests.map(({ headers }) => headers['x-trace']) }
}

it('headers are an object, so that a wrapper of fetch can spread them', async () => {
  const { inits, traced } = await sentBy((init) => ({
    ...init,
    headers: { ...(init.headers as Record<string, string>), 'x-trace': '1' },
  }))

  expect(inits.length).toBeGreaterThan(7)
  expect(traced).toEqual(inits.map(() => '1'))
  for (const { headers } of inits) expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
})

it('no request is served from a cache', async () => {
  const { inits } = await sentBy((init) => init)

  expect(inits.map(({ cache }) => cache)).toEqual(inits.map(() => 'no-store'))
})
