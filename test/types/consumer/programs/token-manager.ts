// Calls an API for people who signed in earlier, and tests it with a fake of the client.
import {
  createTokenManager,
  memoryStore,
  type OidcClient,
  type SignedInTokens,
  type Store,
  type TokenManager,
  TokenManagerError,
  type TokenSet,
} from 'identity-service-sdk'

export const managerFor = (oidc: OidcClient, store: Store, key: string | undefined): TokenManager =>
  createTokenManager({ oidc, store, encryptionKey: key })

export async function callApi(manager: TokenManager, user: string): Promise<Response | 'sign in again'> {
  try {
    const token = await manager.getAccessToken(user, { minValiditySeconds: 120 })
    return await fetch('https://api.example.com/me', { headers: { authorization: `Bearer ${token}` } })
  } catch (error) {
    if (error instanceof TokenManagerError && error.reason !== 'undecryptable') return 'sign in again'
    throw error
  }
}

export async function testRefresh(): Promise<boolean> {
  const now = Math.floor(Date.now() / 1000)
  const expired: SignedInTokens = {
    access_token: 'old',
    token_type: 'Bearer',
    expires_in: 900,
    expiresAtSeconds: now - 1,
    refresh_token: 'refresh_1',
    scope: 'openid',
    id_token: 'id_token',
    claims: { iss: 'https://id.example.com', sub: 'user_1', aud: 'client', exp: now, iat: now },
  }
  const used: string[] = []
  const oidc = {
    refresh: async (refreshToken: string): Promise<TokenSet> => {
      used.push(refreshToken)
      return { ...expired, access_token: 'new', expiresAtSeconds: now + 900, refresh_token: 'refresh_2' }
    },
  }
  const manager = createTokenManager({ oidc, store: memoryStore() })
  await manager.save('ada', expired)
  return (await manager.getAccessToken('ada')) === 'new' && used.length === 1
}
