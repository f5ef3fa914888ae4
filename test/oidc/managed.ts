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

/** Tokens as a sign-in at the tests' start left them. */
export const signedIn = (over: Partial<TokenSet> = {}): TokenSet => ({
  ...(tokens({ access_token: 'access_0', refresh_token: 'refresh_0' }) as unknown as TokenSet),
  expires_at: startSeconds + 900,
  claims: claimsOf() as unknown as NonNullable<TokenSet['claims']>,
  ...over,
})

/** Managers of several processes, as far as one process can stand for them: a store and an issuer in common. */
export function managed(options: Partial<TokenManagerOptions> & { random?: () => number } = {}) {
  const { random = () => 0, ...given } = options
  const service = issuer()
  service.token.answers(renewed(1))
  const store = given.store ?? memoryStore({ now: service.clock.now })
  const clock = { ...service.clock, random }
  const manager = (more: Partial<TokenManagerOptions> = {}) => {
    const settings = { oidc: service.client({ maxRetries: 0 }), ...given, store, ...more, [timing]: clock }
    return createTokenManager(settings as TokenManagerOptions)
  }
  const passSeconds = (seconds: number) => service.passTime(seconds * 1000)
  return { ...service, clock, store, manager, passSeconds }
}

/** The same, with tokens of somebody that have to be refreshed. */
export async function due(options: Parameters<typeof managed>[0] = {}) {
  const made = managed(options)
  await made.manager().save('user_1', signedIn())
  made.passSeconds(900)
  return made
}

const lastingIdToken = idToken({ exp: startSeconds + 86_400 })

/** The answer to the n-th refresh. */
export const renewed = (n: number, over: object = {}) =>
  json(
    tokens({ access_token: `access_${n}`, refresh_token: `refresh_${n}`, id_token: lastingIdToken, ...over }),
  )

/** A store that does something before, or instead of, a step. */
export function storeWith(store: Store, steps: Partial<Store>): Store {
  return { ...store, ...steps }
}
