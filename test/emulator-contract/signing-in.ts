import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { afterAll, beforeEach, expect } from 'vitest'
import { application, listening, redirectUri } from './over-http.ts'

// The flow of section 4.7, step by step, over raw HTTP. Tokens are verified by node:crypto alone.

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
  readonly token_type: string
  readonly expires_in: number
  readonly scope: string
}

interface TokenAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Partial<Tokens> & { readonly error?: string }
}

export const verifier = 'Vv0-._~'.repeat(7)
export const challenge = createHash('sha256').update(verifier).digest('base64url')

/** An emulator for a whole file, since its keys take a moment to make; each test finds it as it was at first. */
export async function signInService() {
  const service = await listening(
    {
      users: [
        { sub: 'user_ada', email: 'ada@example.com' },
        { sub: 'user_bob', email: 'bob@example.com' },
      ],
      oidc: { scopes: ['openid', 'profile'] },
    },
    afterAll,
  )
  const { emulator, raw, url } = service
  beforeEach(() => emulator.reset())

  /** Parameters that are `undefined` are left out. */
  const authorizeUrl = (over: Readonly<Record<string, string | undefined>> = {}) => {
    const query = {
      client_id: application.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid',
      state: 'state_1',
      ...over,
    }
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return `${url}/api/auth/oidc/authorize?${new URLSearchParams(given)}`
  }

  const codeFor = (over: Parameters<typeof authorizeUrl>[0] = {}, user = 'user_ada') =>
    new URL(emulator.signIn.approve(authorizeUrl(over), { user })).searchParams.get('code') ?? ''

  const token = async (json: object): Promise<TokenAnswer> => {
    const { status, headers, text } = await raw('POST', '/api/auth/oidc/token', { json })
    return { status, headers, body: JSON.parse(text) }
  }

  const exchange = (code: string, over: object = {}) =>
    token({ grant_type: 'authorization_code', ...application, code, redirect_uri: redirectUri, ...over })

  const refresh = (refresh_token: string | undefined, over: object = {}) =>
    token({ grant_type: 'refresh_token', refresh_token, ...application, ...over })

  const tokensFor = async (over: Parameters<typeof authorizeUrl>[0] = {}, user?: string): Promise<Tokens> => {
    const { status, body } = await exchange(codeFor(over, user))
    expect(status).toBe(200)
    return body as Tokens
  }

  const keys = async () => {
    const { status, text } = await raw('GET', '/api/auth/oidc/jwks.json')
    expect(status).toBe(200)
    return JSON.parse(text).keys as readonly (JsonWebKey & { readonly kid: string })[]
  }

  /** Header and claims of a token whose RS256 signature holds under a published key. */
  const verified = async (jwt: string) => {
    const [head = '', claims = '', signature = ''] = jwt.split('.')
    const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    const header: Record<string, unknown> = read(head)
    expect(header.alg).toBe('RS256')
    const jwk = (await keys()).find(({ kid }) => kid === header.kid)
    if (jwk === undefined) throw new Error(`no key ${header.kid} is published`)
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    const bytes = Buffer.from(`${head}.${claims}`)
    expect(verify('sha256', bytes, key, Buffer.from(signature, 'base64url'))).toBe(true)
    return { header, claims: read(claims) as Record<string, unknown> }
  }

  return { ...service, authorizeUrl, codeFor, token, exchange, refresh, tokensFor, keys, verified }
}
