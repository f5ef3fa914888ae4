import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { afterAll, beforeEach, expect } from 'vitest'
import type { EmulatorOptions } from '../../../src/emulator.ts'
import { application, overHttp, redirectUri, type Service } from './service.ts'

/** Section 2.8. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly scope: string
}

interface TokenResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: Partial<Tokens> & { readonly error?: string; readonly error_description?: string }
}

type Params = Readonly<Record<string, string | undefined>>

export const verifier = 'Vv0-._~'.repeat(7)
export const challenge = createHash('sha256').update(verifier).digest('base64url')
export const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }

export const invalidGrant = { status: 400, body: { error: 'invalid_grant' } }

/** Returns the query of a URL. */
export const queryOf = (location: string | null) => Object.fromEntries(new URL(location ?? '').searchParams)

/** The steps of section 4.7 at a service, next to the service's own requests. */
export function signInAt<At extends Service>(service: At) {
  const { emulator, raw, url } = service

  /** Parameters that are `undefined` are left out. */
  const authorizationUrl = (over: Params = {}) => {
    const query = {
      client_id: application.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid profile',
      state: 'state_1',
      ...over,
    }
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return `${url}/api/auth/oidc/authorize?${new URLSearchParams(given)}`
  }

  const codeFor = (over: Params = {}, user?: string) =>
    queryOf(emulator.signIn.approve(authorizationUrl(over), { user })).code ?? ''

  const token = async (json: object): Promise<TokenResponse> => {
    const { status, headers, text } = await raw('POST', '/api/auth/oidc/token', { json })
    return { status, headers, body: JSON.parse(text) }
  }

  const exchange = (code: string, over: object = {}) =>
    token({ grant_type: 'authorization_code', ...application, code, redirect_uri: redirectUri, ...over })

  const refresh = (refresh_token: string | undefined, over: object = {}) =>
    token({ grant_type: 'refresh_token', refresh_token, ...application, ...over })

  const tokensFor = async (over: Params = {}, user?: string): Promise<Tokens> => {
    const { status, body } = await exchange(codeFor(over, user))
    expect(status).toBe(200)
    return body as Tokens
  }

  const keys = async () => {
    const { status, text } = await raw('GET', '/api/auth/oidc/jwks.json')
    expect(status).toBe(200)
    return JSON.parse(text).keys as readonly (JsonWebKey & { readonly kid: string })[]
  }

  /** Returns the header and the claims of a token, verified with a published key and `node:crypto` alone. */
  const verified = async (jwt: string | undefined) => {
    const [head = '', payload = '', signature = ''] = String(jwt).split('.')
    const read = (part: string): Record<string, unknown> => JSON.parse(Buffer.from(part, 'base64url').toString())
    const header = read(head)
    expect(header.alg).toBe('RS256')
    const jwk = (await keys()).find(({ kid }) => kid === header.kid)
    if (jwk === undefined) throw new Error(`no key ${header.kid} is published`)
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    const signed = Buffer.from(`${head}.${payload}`)
    expect(verify('sha256', signed, key, Buffer.from(signature, 'base64url'))).toBe(true)
    return { header, claims: read(payload) }
  }

  return { ...service, authorizationUrl, codeFor, token, exchange, refresh, tokensFor, keys, verified }
}

/** One service for a whole file, because its keys take a moment to generate. It is reset before each test. */
export async function sharedSignIn(options: EmulatorOptions = {}) {
  const service = await overHttp(options, afterAll)
  beforeEach(() => service.emulator.reset())
  return signInAt(service)
}
