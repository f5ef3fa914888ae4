import { expect, it, vi } from 'vitest'
import { memoryStore, StoreError } from '../../src/index.ts'
import { type LockOptions, withLock } from '../../src/stores/lock.ts'
import { manualClock } from '../support/timing.ts'

const key = 'lock:1'

function locked(more: Partial<LockOptions> = {}) {
  const clock = manualClock()
  const store = memoryStore({ now: () => new Date(clock.timing.now()) })
  const options = { key, ttlMs: 3_000, timing: clock.timing, ...more }
  return { clock, store, options }
}

it('holds the lock while the work runs, and releases it afterwards', async () => {
  const { store, options } = locked()
  const held: unknown[] = []

  const done = await withLock(store, options, async ({ startedAt }) => {
    held.push(await store.get(key))
    return startedAt
  })

  expect(done).toEqual({ result: 0 })
  expect(held).toEqual([expect.any(String)])
  expect(await store.get(key)).toBeNull()
})

it('does not run the work while another run holds the lock', async () => {
  const { store, options } = locked()

  const done = await withLock(store, options, () => withLock(store, options, async () => 'twice'))

  expect(done).toEqual({ result: undefined })
})

it('releases the lock if the work throws', async () => {
  const { store, options } = locked()

  await expect(withLock(store, options, () => Promise.reject(new Error('no')))).rejects.toThrow('no')

  expect(await store.get(key)).toBeNull()
})

it('does not release the lock of another run after its own has expired', async () => {
  const { store, options, clock } = locked()

  await withLock(store, options, async () => {
    clock.passTime(3_000)
    await store.set(key, 'another run', { ifAbsent: true })
  })

  expect(await store.get(key)).toBe('another run')
})

it('renews the lock while the work runs, also after a renewal failed, and starts no timer afterwards', async () => {
  const { store, options, clock } = locked({ renews: true })
  let renewals = 0
  const flaky = {
    ...store,
    compareAndSet: async (...call: Parameters<typeof store.compareAndSet>) => {
      if (renewals++ === 0) throw new StoreError({ message: 'refused' })
      return store.compareAndSet(...call)
    },
  }

  await withLock(flaky, options, async () => {
    await clock.advance(30_000)
    expect(await store.get(key)).not.toBeNull()
  })

  expect(renewals).toBeGreaterThan(25)
  expect(clock.pending()).toBe(0)
})

it.each([{}, { renews: false }])(
  'the signal of a lock with the options %o aborts when it ends',
  async (more) => {
    const { store, options, clock } = locked(more)

    await withLock(store, options, async ({ signal }) => {
      await clock.advance(2_999)
      expect(signal.aborted).toBe(false)
      await clock.advance(1)
      expect(signal.reason).toBeInstanceOf(StoreError)
    })

    expect(clock.timers).toEqual([3_000])
    expect(clock.pending()).toBe(0)
  },
)

it('the signal of a renewed lock aborts at the first renewal that another run has made impossible', async () => {
  const { store, options, clock } = locked({ renews: true })

  await withLock(store, options, async ({ signal }) => {
    await clock.advance(2_000)
    expect(signal.aborted).toBe(false)
    await store.set(key, 'another run')
    await clock.advance(1_000)
    expect(signal.reason).toBeInstanceOf(StoreError)
  })

  expect(await store.get(key)).toBe('another run')
})

it('the signal of a renewed lock aborts when its renewals have failed for as long as it lasts', async () => {
  const { store, options, clock } = locked({ renews: true })
  const failing = { ...store, compareAndSet: () => Promise.reject(new StoreError({ message: 'refused' })) }

  await withLock(failing, options, async ({ signal }) => {
    await clock.advance(2_999)
    expect(signal.aborted).toBe(false)
    await clock.advance(1)
    expect(signal.reason).toMatchObject({ cause: { message: 'refused' } })
  })
})

it('a renewed lock expires after its ttlMs if its renewals stop, as they do if the process crashes', async () => {
  const { store, options, clock } = locked({ renews: true })
  let renewals = 0
  const stopping = {
    ...store,
    compareAndSet: async (...call: Parameters<typeof store.compareAndSet>) => {
      if (renewals++ > 0) throw new StoreError({ message: 'refused' })
      return store.compareAndSet(...call)
    },
  }

  await withLock(stopping, options, async () => {
    await clock.advance(3_999)
    expect(await store.get(key)).not.toBeNull()
    await clock.advance(1)
    expect(await store.get(key)).toBeNull()
  })
})

it.each<[string, () => Promise<boolean>]>([
  ['resolves', async () => true],
  ['rejects', () => Promise.reject(new StoreError({ message: 'refused' }))],
])('a renewal that %s after the work has ended starts no other', async (_, end) => {
  const { store, options, clock } = locked({ renews: true })
  let respond = () => {}
  const response = new Promise<void>((resolve) => {
    respond = resolve
  })
  const slow = { ...store, compareAndSet: () => response.then(end) }

  await withLock(slow, options, () => clock.advance(1_000))
  respond()
  await clock.advance(0)

  expect(clock.timers).toEqual([3_000, 1_000])
  expect(clock.pending()).toBe(0)
})

it('a lock that is renewed does not keep the process alive', async () => {
  const { store, options, clock } = locked({ renews: true })
  const timer = vi.fn(clock.timing.timer)

  await withLock(store, { ...options, timing: { ...clock.timing, timer } }, async () => {})

  expect(timer.mock.calls).toEqual([
    [expect.any(Function), 3_000, { unref: true }],
    [expect.any(Function), 1_000, { unref: true }],
  ])
})

it('recognizes its own lock if the driver sent the write twice', async () => {
  const { store, options } = locked()
  const twice = {
    ...store,
    set: async (...call: Parameters<typeof store.set>) => {
      await store.set(...call)
      return store.set(...call)
    },
  }

  expect(await withLock(twice, options, async () => 'done')).toEqual({ result: 'done' })
})

it('releases a lock that may have been set although the store failed', async () => {
  const { store, options } = locked()
  const failing = {
    ...store,
    set: async (...call: Parameters<typeof store.set>) => {
      await store.set(...call)
      throw new StoreError({ message: 'the response was lost' })
    },
  }

  await expect(withLock(failing, options, async () => 'done')).rejects.toThrow('the response was lost')

  expect(await store.get(key)).toBeNull()
})

it('a release that fails changes nothing, because the lock expires', async () => {
  const { store, options } = locked()
  const failing = { ...store, compareAndDelete: () => Promise.reject(new Error('refused')) }

  expect(await withLock(failing, options, async () => 'done')).toEqual({ result: 'done' })
})
