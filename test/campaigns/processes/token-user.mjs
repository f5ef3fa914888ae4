// @ts-nocheck: plain JavaScript, which runs against the build as an application does
// Asks a token manager for access tokens. With DIE_AT it ends by SIGKILL at that step, such as `after refresh`.
import { createTokenManager, OidcClient } from 'identity-service-sdk'
import { answerWith, sharedStore } from './shared-store.mjs'

const { DIE_AT, OIDC, LOCK_TTL_MS } = process.env
const counts = new Map()

/** Steps are named by their order: the mark is `compareAndSet 1`, the new tokens are `compareAndSet 2`. */
async function step(name, work) {
  const n = (counts.get(name) ?? 0) + 1
  counts.set(name, n)
  if (DIE_AT === `before ${name} ${n}`) process.kill(process.pid, 'SIGKILL')
  const result = await work()
  if (DIE_AT === `after ${name} ${n}`) process.kill(process.pid, 'SIGKILL')
  return result
}

const store = await sharedStore()
const watched = Object.fromEntries(
  Object.entries(store).map(([name, work]) => [
    name,
    (...given) => step(name, () => work.apply(store, given)),
  ]),
)
const oidc = new OidcClient(JSON.parse(OIDC))
const refresh = (...given) => step('refresh', () => oidc.refresh(...given))
const encryptionKey = new Uint8Array(32).fill(7)
const manager = createTokenManager({
  oidc: { refresh },
  store: watched,
  lockTtlMs: Number(LOCK_TTL_MS),
  encryptionKey,
})

const realNow = Date.now
answerWith(async ({ key, save, callers, laterSeconds = 0 }) => {
  if (save) return manager.save(key, save)
  Date.now = () => realNow() + laterSeconds * 1000
  const results = await Promise.allSettled(Array.from({ length: callers }, () => manager.getAccessToken(key)))
  Date.now = realNow
  return results.map(({ value, reason }) => value ?? `${reason.name} ${reason.reason ?? reason.message}`)
})
