import { expect, it, vi } from 'vitest'
import { ConfigurationError, type MemoryStoreOptions, memoryStore, StoreError } from '../../src/webhooks.ts'

function aStore(options: MemoryStoreOptions = {}) {
  let time = 0
  const store = memoryStore({ now: () => new Date(time), ...options })
  const pass = (ms: number) => {
    time += ms
  }
  return { store, pass }
}

it('removes expired values within 1,000 writes, and no other values', async () => {
  const { store, pass } = aStore()
  const removed = vi.spyOn(Map.prototype, 'delete')
  await store.set('old', '1', { ttlMs: 10 })
  await store.set('living', '1', { ttlMs: 11 })
  await store.set('kept', '1')
  pass(10)
  for (let i = 0; i < 996; i++) await store.set('other', '1')
  expect(removed).not.toHaveBeenCalled()
  await store.set('other', '2')
  expect(removed.mock.calls).toEqual([['old']])
  for (let i = 0; i < 999; i++) await store.set('other', '1')
  pass(1)
  await store.set('other', '2')
  expect(removed.mock.calls).toEqual([['old'], ['living']])
  vi.restoreAllMocks()
})

it('measures lifetimes by a clock that changes of the system clock do not affect', async () => {
  vi.useFakeTimers({ now: 1_000, toFake: ['Date', 'performance'] })
  const store = memoryStore()
  await store.set('a', '1', { ttlMs: 5 })
  vi.setSystemTime(1_000_000_000)
  expect(await store.get('a')).toBe('1')
  vi.advanceTimersByTime(4)
  expect(await store.get('a')).toBe('1')
  vi.advanceTimersByTime(1)
  expect(await store.get('a')).toBeNull()
  vi.useRealTimers()
})

it('rejects a lifetime that is not a number, and writes nothing', async () => {
  const store = memoryStore()

  for (const ttlMs of [Number.NaN, null, '5'] as never[]) {
    await expect(store.set('key', 'value', { ttlMs })).rejects.toThrow('ttlMs must be a number')
  }

  expect(await store.get('key')).toBeNull()
})

it('a full store rejects new keys and keeps every value that has not expired', async () => {
  const { store, pass } = aStore({ maxEntries: 2 })
  await store.set('claim', '1', { ttlMs: 10 })
  await store.set('kept', '1')

  const failure = new StoreError({ message: 'the memory store is full: it has maxEntries (2) values' })
  pass(9)
  await expect(store.set('new', '1')).rejects.toThrow(failure)
  await expect(store.set('new', '1', { ifAbsent: true })).rejects.toMatchObject({ mayHaveHappened: false })
  expect([await store.get('claim'), await store.get('kept'), await store.get('new')]).toEqual(['1', '1', null])
})

it('a full store still changes and deletes the values that it has', async () => {
  const { store } = aStore({ maxEntries: 2 })
  await store.set('a', '1')
  await store.set('b', '1')

  expect(await store.set('a', '2', { ifAbsent: true })).toBe(false)
  expect(await store.set('a', '2')).toBe(true)
  expect(await store.compareAndSet('b', '1', '2')).toBe(true)
  expect(await store.take('a')).toBe('2')
  expect(await store.set('c', '1')).toBe(true)
})

it('a full store removes expired values before it rejects a new key', async () => {
  const { store, pass } = aStore({ maxEntries: 3 })
  await store.set('a', '1', { ttlMs: 10 })
  await store.set('b', '1', { ttlMs: 20 })
  await store.set('c', '1')
  pass(10)

  expect(await store.set('d', '1')).toBe(true)
  await expect(store.set('e', '1')).rejects.toBeInstanceOf(StoreError)
  pass(10)
  expect(await store.set('e', '1')).toBe(true)
  await expect(store.set('f', '1')).rejects.toBeInstanceOf(StoreError)
  expect(await store.get('c')).toBe('1')
})

it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', null])(
  'memoryStore rejects %o as maxEntries',
  (maxEntries) => {
    const create = () => memoryStore({ maxEntries: maxEntries as never })
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(/^memoryStore: maxEntries must be a positive whole number$/)
  },
)
