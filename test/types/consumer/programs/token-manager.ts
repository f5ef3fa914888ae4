// Calls an API for people who signed in earlier.
import {
  createTokenManager,
  type OidcClient,
  type Store,
  type TokenManager,
  TokenManagerError,
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
