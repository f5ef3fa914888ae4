import { memoryStore, type Store } from 'identity-service-sdk'
import {
  createSignInHandler,
  createTokenManager,
  type IdTokenClaims,
  loginMarkers,
  OidcClient,
  type SignedInTokens,
  TokenManagerError,
  validateIdToken,
} from 'identity-service-sdk/oidc'
import { type PostgresPool, postgresStore, postgresStoreSql } from 'identity-service-sdk/stores/postgres'
import { type RedisStoreOptions, redisStore } from 'identity-service-sdk/stores/redis'

export const oidc = new OidcClient({
  clientId: 'id',
  clientSecret: 'secret',
  redirectUri: 'https://app.example.com/callback',
  scope: ['openid', 'profile'],
  jwks: { cacheMs: 1000 },
})

export async function signIn(callback: Request): Promise<string> {
  const { url, ...login } = await oidc.createAuthorization({ scope: ['openid'] })
  const tokens: SignedInTokens = await oidc.handleCallback(callback, login)
  const claims: IdTokenClaims = tokens.claims
  const audience = 'client'
  const { sub } = await validateIdToken('token', { jwks: { keys: [] }, issuer: url, audience })
  return claims.svc_org_member_id ?? sub
}

const counted = new Map<string, string>()
export const own: Store = {
  get: async (key) => counted.get(key) ?? null,
  set: async (key, value, { ttlMs, ifAbsent } = {}) => {
    if (ifAbsent && counted.has(key)) return false
    counted.set(key, value)
    return ttlMs !== 0
  },
  compareAndSet: async () => true,
  take: async () => null,
  delete: async (key) => counted.delete(key),
  compareAndDelete: async () => false,
}

export function stores(pool: PostgresPool): readonly Store[] {
  const options: RedisStoreOptions = { prefix: 'app:' }
  const nodeRedis = { isOpen: true, eval: async (script: string, _: { keys?: string[] } = {}) => script }
  const ioRedis = { status: 'ready', on: () => {}, eval: async (script: string, _: number) => script }
  console.log(postgresStoreSql('tokens'))
  return [
    own,
    memoryStore({ now: () => new Date(Date.now()) }),
    redisStore(nodeRedis, options),
    redisStore(ioRedis),
    postgresStore(pool, { createTable: false }),
  ]
}

export async function accessToken(store: Store): Promise<string> {
  const encryptionKey = [new Uint8Array(32), 'base64url']
  const manager = createTokenManager({ oidc, store, encryptionKey })
  try {
    return await manager.getAccessToken('user', { minValiditySeconds: 30 })
  } catch (error) {
    if (error instanceof TokenManagerError && error.reason === 'not_found') return ''
    throw error
  }
}

export const handler = createSignInHandler({
  oidc,
  store: own,
  cookieSecret: 'secret',
  onSignIn: (tokens, request) => new Response(`${tokens.scope} ${request.url}`),
})
export const marker: Promise<string> = loginMarkers({ secret: 'secret', store: own }).create()
