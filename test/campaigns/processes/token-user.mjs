// Gets access tokens from a token manager. With SIGNAL_AT it sends itself SIGNAL at that step, for example `after
// refresh 1`.
import { createTokenManager, OidcClient } from 'identity-service-sdk'
import { handleRequests, sharedStore } from './shared-store.mjs'

const { SIGNAL_AT, SIGNAL = 'SIGKILL', OIDC = '', LOCK_TTL_MS } = process.env
/** @type {Map<string, number>} */
const counts = new Map()

/** @param {string} step */
const signalAt = (step) => void (SIGNAL_AT === step && process.kill(process.pid, SIGNAL))

/**
 * Returns the same object with methods that are steps. Steps are numbered: `compareAndSet 1` sets the mark, and
 * `compareAndSet 2` stores the new tokens.
 *
 * @template {object} T
 * @param {T} target
 * @returns {T}
 */
function withSteps(target) {
  return new Proxy(target, {
    get(_, /** @type {string} */ name) {
      const member = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (/** @type {unknown[]} */ ...given) => {
        const n = (counts.get(name) ?? 0) + 1
        counts.set(name, n)
        signalAt(`before ${name} ${n}`)
        const result = await Reflect.apply(member, target, given)
        signalAt(`after ${name} ${n}`)
        return result
      }
    },
  })
}

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
