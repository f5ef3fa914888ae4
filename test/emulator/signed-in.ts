import { createHash } from 'node:crypto'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import type { EmulatorOptions } from '../../src/emulator.ts'
import { emulated, origin, start } from './emulated.ts'

export const redirectUri = 'http://127.0.0.1:5555/back'
export const state = 'state_1'
export const verifier = 'v'.repeat(43)
export const challenge = createHash('sha256').update(verifier).digest('base64url')

export const credentials = { client_id: 'emulator_client_id', client_secret: 'emulator_client_secret' }

interface TokenAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, string>>
}

/** An emulator that people sign in at, and raw calls to it: nothing of our clients takes part. */
export function signedIn(options: EmulatorOptions = {}) {
  const { emulator } = emulated(options)
  const get = (path: string) => emulator.fetch(new Request(origin + path))

  /** Parameters that are `undefined` are left out. */
  const authorizationUrl = (over: Readonly<Record<string, string | undefined>> = {}) => {
    const url = new URL(`${origin}/api/auth/oidc/authorize`)
    const query = {
      client_id: credentials.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid profile',
      state,
      ...over,
    }
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, value)
    return url.href
  }

  const post = async (body: string, contentType: string): Promise<TokenAnswer> => {
    const response = await emulator.fetch(
      new Request(`${origin}/api/auth/oidc/token`, {
        method: 'POST',
        headers: { 'content-type': contentType },
        body,
      }),
    )
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as TokenAnswer['body'],
    }
  }
  const token = (fields: object) => post(JSON.stringify({ ...credentials, ...fields }), 'application/json')

  const codeFor = (over: Parameters<typeof authorizationUrl>[0] = {}, user?: string) =>
    new URL(emulator.signIn.approve(authorizationUrl(over), { user })).searchParams.get('code') ?? ''
  const exchange = (code: string, over: object = {}) =>
    token({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...over })

  const keySet = async () => (await (await get('/api/auth/oidc/jwks.json')).json()) as JSONWebKeySet

  return {
    emulator,
    get,
    authorizationUrl,
    post,
    token,
    codeFor,
    exchange,
    refresh: (refresh_token: string | undefined) => token({ grant_type: 'refresh_token', refresh_token }),
    keySet,
    /** The claims and the header of a token, verified by other hands than ours. */
    verified: async (jwt: string | undefined) => {
      const settings = { issuer: origin, currentDate: start, algorithms: ['RS256'] }
      return jwtVerify(String(jwt), createLocalJWKSet(await keySet()), settings)
    },
  }
}
