import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { OidcClient, type OidcClientOptions } from '../../src/index.ts'
import { realTiming, type Timing, timing } from '../../src/runtime/timing.ts'

export const baseUrl = 'https://id.example.test'
export const clientId = 'client_test'
export const clientSecret = 'secret_test_0123456789abcdef'
export const redirectUri = 'https://app.example.test/callback'

/** The time at which every test starts. */
export const startMs = Date.UTC(2026, 0, 1)
export const startSeconds = startMs / 1000

export interface TestKey {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly jwk: Readonly<Record<string, unknown>>
  readonly pem: string
}

export function makeKey(kid: string, modulusLength = 2048): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }
  return { kid, privateKey, jwk, pem }
}

export const key = makeKey('key_1')
export const otherKey = makeKey('key_2')

export const encoded = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

/** Signs any header and any payload, given as objects or as text. */
export function signed(header: unknown, payload: unknown, by: TestKey = key): string {
  const input = `${encoded(header)}.${encoded(payload)}`
  return `${input}.${sign('sha256', Buffer.from(input), by.privateKey).toString('base64url')}`
}

export const headerOf = (over: object = {}) => ({ alg: 'RS256', kid: key.kid, typ: 'JWT', ...over })

/** Members that are `undefined` are omitted. */
export const claimsOf = (over: object = {}) => ({
  iss: baseUrl,
  sub: 'user_1',
  aud: clientId,
  exp: startSeconds + 900,
  iat: startSeconds,
  ...over,
})

export const idToken = (claims: object = {}, header: object = {}, by: TestKey = key) =>
  signed(headerOf({ kid: by.kid, ...header }), claimsOf(claims), by)

export const atHashOf = (accessToken: string) =>
  createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url')

/** A response of the token endpoint. */
export const tokens = (over: object = {}) => ({
  access_token: 'access_1_0123456789abcdef',
  refresh_token: 'refresh_1_0123456789abcdef',
  id_token: idToken(),
  token_type: 'Bearer',
  expires_in: 900,
  scope: 'openid',
  ...over,
})

/** Responds to one request. */
export type Step = (request: Request) => Response | Promise<Response>

export const json =
  (body: unknown, status = 200): Step =>
  () =>
    Response.json(body, { status, headers: { 'x-request-id': 'req_1' } })

export const keySet = (...keys: readonly unknown[]) => json({ keys })

/** An endpoint that uses one step for each request, and the last one for all that follow. */
function endpointOf(...first: readonly Step[]) {
  let steps = first
  const requests: Request[] = []
  return {
    requests,
    respondWith: (...next: readonly Step[]) => {
      steps = next
    },
    handle: async (request: Request) => {
      requests.push(request.clone())
      const [step] = steps
      if (steps.length > 1) steps = steps.slice(1)
      return (step ?? json({}, 404))(request)
    },
  }
}

/** An issuer whose responses and clock are controlled by the test. Paths other than its two endpoints return 404. */
export function issuer() {
  const jwks = endpointOf(keySet(key.jwk))
  const token = endpointOf(json(tokens()))
  const others = endpointOf()
  let elapsedMs = 0
  const clock: Timing = {
    now: () => elapsedMs,
    wallClock: () => startMs + elapsedMs,
    random: () => 1,
    timer: realTiming.timer,
    sleep: async (ms) => {
      elapsedMs += ms
    },
  }
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const { pathname } = new URL(request.url)
    if (pathname.endsWith('/api/auth/oidc/jwks.json')) return jwks.handle(request)
    if (pathname.endsWith('/api/auth/oidc/token')) return token.handle(request)
    return others.handle(request)
  }
  return {
    jwks,
    token,
    others,
    fetch,
    clock,
    passTime: (ms: number) => {
      elapsedMs += ms
    },
    client: (options: OidcClientOptions = {}) => {
      const settings = { baseUrl, clientId, clientSecret, redirectUri, fetch, ...options }
      const hidden: object = { ...settings, [timing]: clock }
      return new OidcClient(hidden)
    },
  }
}
