// Asks a token manager for access tokens. With DIE_AT it ends by SIGKILL at that step, such as `after refresh 1`.
import { createTokenManager, OidcClient } from 'identity-service-sdk'
import { answerWith, sharedStore } from './shared-store.mjs'

const { DIE_AT, OIDC = '', LOCK_TTL_MS } = process.env
/** @type {Map<string, number>} */
const counts = new Map()

/** @param {string} moment */
const dieAt = (moment) => void (DIE_AT === moment && process.kill(process.pid, 'SIGKILL'))

/**
 * The same object, whose methods are steps. Steps are named by their order: the mark is `compareAndSet 1`, the new
 * tokens are `compareAndSet 2`.
 *
 * @template {object} T
 * @param {T} target
 * @returns {T}
 */
function stepwise(target) {
  return new Proxy(target, {
    get:
      (_, /** @type {string} */ name) =>
      async (/** @type {unknown[]} */ ...given) => {
        const n = (counts.get(name) ?? 0) + 1
        counts.set(name, n)
        dieAt(`before ${name} ${n}`)
        const result = await Reflect.apply(Reflect.get(/** @type {object} */ (target), name), target, given)
        dieAt(`after ${name} ${n}`)
        return result
      },
  })
}

const manager = createTokenManager({
  oidc: stepwise(new OidcClient(JSON.parse(OIDC))),
  store: stepwise(await sharedStore()),
  lockTtlMs: Number(LOCK_TTL_MS),
  encryptionKey: new Uint8Array(32).fill(7),
})

const realNow = Date.now
answerWith(
  async (
    /** @type {{ key: string, save?: import('identity-service-sdk').TokenSet, callers: number, laterSeconds?: number }} */
    { key, save, callers, laterSeconds = 0 },
  ) => {
    if (save) return manager.save(key, save)
    Date.now = () => realNow() + laterSeconds * 1000
    const asked = Array.from({ length: callers }, () =>
      manager.getAccessToken(key).catch((error) => `${error.name} ${error.reason ?? error.message}`),
    )
    const answers = await Promise.all(asked)
    Date.now = realNow
    return answers
  },
)
