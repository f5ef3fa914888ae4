import { expect, it } from 'vitest'
import { type Store, StoreError, TokenManagerError } from '../../../src/index.ts'
import { lockName, refreshed, storeWith, withExpiredTokens } from '../managed.ts'

type Operation = 'get' | 'set' | 'compareAndSet' | 'compareAndDelete'

/** Expired tokens. The time limit of an operation of their store ends as soon as nothing else happens. */
async function impatient() {
  const made = await withExpiredTokens()
  made.clock.sleep = () => new Promise(setImmediate)
  made.clock.timer = (callback, ms) => {
    // The limit of a whole refresh does not end here.
    if (ms > 5_000) return () => {}
    const timer = setImmediate(callback)
    return () => clearImmediate(timer)
  }
  return made
}

/** The same, in a store that executes some operations and never responds to them. */
async function silentAt(operation: Operation, calls: readonly number[]) {
  const made = await impatient()
  let count = 0
  const step = async (...given: unknown[]) => {
    const result = await (made.store[operation] as (...given: unknown[]) => Promise<unknown>)(...given)
    return calls.includes(++count) ? new Promise(() => {}) : result
  }
  const tokens = made.manager({ store: storeWith(made.store, { [operation]: step } as Partial<Store>) })
  const callAll = () =>
    Promise.all(Array.from({ length: 50 }, () => tokens.getAccessToken('user_1').catch((error) => error)))
  return { ...made, tokens, callAll }
}

it('callers end with StoreError if the store does not respond to the lock, and the next ones refresh at once', async () => {
  const { callAll, store, token, clock } = await silentAt('set', [1])

  const errors = await callAll()

  expect(new Set(errors.map((error) => error.constructor))).toEqual(new Set([StoreError]))
  expect(errors[0]).toMatchObject({ mayHaveHappened: true, message: expect.stringMatching(/within 5000 ms/) })
  const startedAt = clock.now()
  expect(await store.get(lockName)).toBeNull()
  expect(new Set(await callAll())).toEqual(new Set(['access_1']))
  expect(clock.now()).toBe(startedAt)
  expect(token.requests).toHaveLength(1)
})

it('callers get the new tokens if the store does not respond to the first write of them', async () => {
  const { callAll, token } = await silentAt('compareAndSet', [2])

  expect(new Set(await callAll())).toEqual(new Set(['access_1']))
  expect(token.requests).toHaveLength(1)
})

it('callers end with an unknown outcome if the store responds to no write of the new tokens', async () => {
  const made = await impatient()
  let writes = 0
  const silent = storeWith(made.store, {
    compareAndSet: (...given) => (++writes === 1 ? made.store.compareAndSet(...given) : new Promise(() => {})),
  })
  const tokens = made.manager({ store: silent })

  const errors = await Promise.all(
    Array.from({ length: 50 }, () => tokens.getAccessToken('user_1').catch((error) => error)),
  )

  expect(new Set(errors)).toEqual(new Set([expect.any(TokenManagerError)]))
  expect(errors[0]).toMatchObject({ reason: 'refresh_outcome_unknown', cause: expect.any(StoreError) })
  expect(await made.store.get(lockName)).toBeNull()
  expect(made.token.requests).toHaveLength(1)
})

it('callers get their tokens if the store does not respond to the release of the lock', async () => {
  const { callAll, token } = await silentAt('compareAndDelete', [1])
  token.respondWith(refreshed(1))

  expect(new Set(await callAll())).toEqual(new Set(['access_1']))
})

it('a person whose write gets no response does not delay another person', async () => {
  const { tokens, store, token, clock } = await silentAt('set', [1])
  clock.timer = () => () => {}
  const blocked = tokens.getAccessToken('user_1')
  blocked.catch(() => {})
  await store.set('tokens:user_2', (await store.get('tokens:user_1')) ?? '')

  expect(await tokens.getAccessToken('user_2')).toBe('access_1')
  expect(token.requests).toHaveLength(1)
})
