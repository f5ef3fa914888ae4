// Gets access tokens from a token manager. `compareAndSet 1` sets the mark, and `compareAndSet 2` stores the new tokens.
import { createTokenManager, OidcClient } from 'identity-service-sdk'
import { handleRequests, sharedStore } from './shared-store.mjs'
import { withSteps } from './steps.mjs'

const { OIDC = '', LOCK_TTL_MS } = process.env
const manager = createTokenManager({
  oidc: withSteps(new OidcClient(JSON.parse(OIDC))),
  store: withSteps(await sharedStore()),
  lockTtlMs: Number(LOCK_TTL_MS),
  encryptionKey: new Uint8Array(32).fill(7),
})

const realNow = Date.now
handleRequests(
  async (
    /** @type {{ key: string, save?: import('identity-service-sdk').TokenSet, callers: number, laterSeconds?: number }} */
    { key, save, callers, laterSeconds = 0 },
  ) => {
    if (save) return manager.save(key, save)
    Date.now = () => realNow() + laterSeconds * 1000
    const calls = Array.from({ length: callers }, () =>
      manager.getAccessToken(key).catch((error) => `${error.name} ${error.reason ?? error.message}`),
    )
    const results = await Promise.all(calls)
    Date.now = realNow
    return results
  },
)
