import {
  createTokenManager,
  memoryStore,
  type Store,
  type TokenManagerOptions,
  type TokenSet,
} from '../../src/index.ts'
import { timing } from '../../src/runtime/timing.ts'
import { claimsOf, idToken, issuer, json, startSeconds, tokens } from './issuer.ts'

export const recordName = 'tokens:user_1'
export const lockName = 'tokens-lock:user_1'

/** The tokens of a sign-in at the start of the test. */
export const signedIn = (over: Partial<TokenSet> = {}): TokenSet => ({
  ...(tokens({ access_token: 'access_0', refresh_token: 'refresh_0' }) as unknown as TokenSet),
  expiresAtSeconds: startSeconds + 900,
  claims: claimsOf() as unknown as NonNullable<TokenSet['claims']>,
  ...over,
})

/** Managers that share a store and an issuer, as those of several processes do. */
export function managed(options: Partial<TokenManagerOptions> & { random?: () => number } = {}) {
  const { random = () => 0, ...given } = options
  const service = issuer()
  service.token.respondWith(refreshed(1))
  const store = given.store ?? memoryStore({ now: () => new Date(service.clock.now()) })
  const clock = { ...service.clock, random }
  const manager = (more: Partial<TokenManagerOptions> = {}) => {
    const settings = { oidc: service.client({ maxRetries: 0 }), ...given, store, ...more, [timing]: clock }
    return createTokenManager(settings as TokenManagerOptions)
  }
  const passSeconds = (seconds: number) => service.passTime(seconds * 1000)
  return { ...service, clock, store, manager, passSeconds }
}

/** The same, with stored tokens of one person that have expired. */
export async function withExpiredTokens(options: Parameters<typeof managed>[0] = {}) {
  const made = managed(options)
  await made.manager().save('user_1', signedIn())
  made.passSeconds(900)
  return made
}

const lastingIdToken = idToken({ exp: startSeconds + 86_400 })

/** The response to the n-th refresh. */
export const refreshed = (n: number, over: object = {}) =>
  json(tokens({ access_token: `access_${n}`, refresh_token: `refresh_${n}`, id_token: lastingIdToken, ...over }))

/** A store in which some operations are replaced. */
export function storeWith(store: Store, steps: Partial<Store>): Store {
  return { ...store, ...steps }
}
