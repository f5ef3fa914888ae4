import { expect, it } from 'vitest'
import { type Store, StoreError, TokenManagerError } from '../../../src/index.ts'
import { lockName, recordName, refreshed, storeWith, withExpiredTokens } from '../managed.ts'

const lockTtlMs = 60_000

/** Expired tokens in a store whose operations a process can be paused before or after. */
async function pausable() {
  const made = await withExpiredTokens({ lockTtlMs })
  made.clock.sleep = () => new Promise(setImmediate)
  const stateOf = async () => JSON.parse((await made.store.get(recordName)) ?? '{}').state
  const pausedAt = (operation: 'get' | 'set' | 'compareAndSet', pause: () => Promise<void>) => {
    let isPaused = false
    const step = async (...given: [string, string, string]) => {
      const result = await (made.store[operation] as (...given: unknown[]) => Promise<unknown>)(...given)
      if (!isPaused && (operation !== 'get' || (await made.store.get(lockName)) !== null)) {
        isPaused = true
        made.passSeconds(lockTtlMs / 1000)
        await pause()
      }
      return result
    }
    return made.manager({ store: storeWith(made.store, { [operation]: step } as Partial<Store>) })
  }
  return { ...made, stateOf, pausedAt }
}

it.each(['get', 'set', 'compareAndSet'] as const)(
  'a process that was paused past its lock at %s presents the refresh token only after it got a new lock',
  async (operation) => {
    const { pausedAt, token, store } = await pausable()
    const locks: unknown[] = []
    token.respondWith(async (request) => {
      locks.push(await store.get(lockName))
      return refreshed(1)(request)
    })

    const accessToken = await pausedAt(operation, async () => {}).getAccessToken('user_1')

    expect(accessToken).toBe('access_1')
    expect(locks).toEqual([expect.any(String)])
  },
)

it('a process that was paused past its lock after the mark leaves the refresh token to the others', async () => {
  const { pausedAt, manager, token, stateOf } = await pausable()
  const reported: unknown[] = []
  const states: string[] = []
  const paused = pausedAt('compareAndSet', async () => {
    states.push(await stateOf())
    await manager()
      .getAccessToken('user_1')
      .catch((error) => reported.push(error))
    expect(token.requests).toHaveLength(0)
  })

  expect(await paused.getAccessToken('user_1')).toBe('access_1')

  expect(states).toEqual(['refreshing'])
  expect(reported).toEqual([expect.any(TokenManagerError)])
  expect(reported).toMatchObject([
    { reason: 'refresh_outcome_unknown', message: expect.stringMatching(/crashed, or is paused/) },
  ])
  expect(await manager().getAccessToken('user_1')).toBe('access_1')
  expect(token.requests).toHaveLength(1)
})

it('a process that was paused past its lock does not report the refresh of another one as lost', async () => {
  const { pausedAt, manager, token, stateOf } = await pausable()
  let respond = () => {}
  const response = new Promise<void>((resolve) => {
    respond = resolve
  })
  token.respondWith(async (request) => {
    await response
    return refreshed(1)(request)
  })
  let other: Promise<string> | undefined
  const paused = pausedAt('set', async () => {
    other = manager().getAccessToken('user_1')
    await expect.poll(() => token.requests.length).toBe(1)
  })

  const late = paused.getAccessToken('user_1')
  await expect.poll(stateOf).toBe('refreshing')
  for (let i = 0; i < 20; i++) await new Promise(setImmediate)
  respond()

  expect(await late).toBe('access_1')
  expect(await other).toBe('access_1')
  expect(token.requests).toHaveLength(1)
})

it('the tokens of a process that was paused during the request are used, although others reported an unknown outcome', async () => {
  const { manager, token, passSeconds } = await pausable()
  const reported: unknown[] = []
  token.respondWith(async (request) => {
    passSeconds(lockTtlMs / 1000)
    await manager()
      .getAccessToken('user_1')
      .catch((error) => reported.push(error))
    return refreshed(1)(request)
  })

  expect(await manager().getAccessToken('user_1')).toBe('access_1')

  expect(reported).toMatchObject([{ reason: 'refresh_outcome_unknown' }])
  expect(await manager().getAccessToken('user_1')).toBe('access_1')
  expect(token.requests).toHaveLength(1)
})

it.each([
  { storeSeconds: 0, deadlineMs: 8_000 },
  { storeSeconds: 4, deadlineMs: 4_000 },
])('a request has $deadlineMs of 10,000 ms if the store has taken $storeSeconds s', async (expected) => {
  const { store, manager, client, passSeconds } = await withExpiredTokens({ lockTtlMs: 10_000 })
  const deadlines: unknown[] = []
  const oidc = client()
  const slow = storeWith(store, {
    set: (...given) => {
      passSeconds(expected.storeSeconds)
      return store.set(...given)
    },
  })

  await manager({
    store: slow,
    oidc: {
      refresh(refreshToken, params, options) {
        deadlines.push(options.deadlineMs)
        return oidc.refresh(refreshToken, params, options)
      },
    },
  }).getAccessToken('user_1')

  expect(deadlines).toEqual([expected.deadlineMs])
})

it('throws StoreError and sends nothing if the store takes more than half of lockTtlMs each time', async () => {
  const { store, stateOf, manager, token, passSeconds } = await pausable()
  const slow = storeWith(store, {
    compareAndSet: (...given) => {
      passSeconds(31)
      return store.compareAndSet(...given)
    },
  })

  await expect(manager({ store: slow }).getAccessToken('user_1')).rejects.toBeInstanceOf(StoreError)

  expect(token.requests).toHaveLength(0)
  expect(await stateOf()).toBe('held')
})
