import { expect, it, vi } from 'vitest'
import { memoryStore } from '../../src/webhooks.ts'

function aStore() {
  let time = 0
  const store = memoryStore({ now: () => time })
  const pass = (ms: number) => {
    time += ms
  }
  return { store, pass }
}

it('keeps a value until it is deleted', async () => {
  const { store, pass } = aStore()
  expect(await store.get('a')).toBeNull()
  expect(await store.set('a', '1')).toBe(true)
  pass(1e12)
  expect(await store.get('a')).toBe('1')
  expect(await store.delete('a')).toBe(true)
  expect(await store.delete('a')).toBe(false)
  expect(await store.get('a')).toBeNull()
})

it('keeps a value until its lifetime ends, to the millisecond', async () => {
  const { store, pass } = aStore()
  await store.set('a', '1', { ttlMs: 100 })
  pass(99)
  expect(await store.get('a')).toBe('1')
  pass(1)
  expect(await store.get('a')).toBeNull()
  expect(await store.delete('a')).toBe(false)
})

it('writes with ifAbsent only if the key has no value, or the value has expired', async () => {
  const { store, pass } = aStore()
  expect(await store.set('a', '1', { ifAbsent: true, ttlMs: 10 })).toBe(true)
  expect(await store.set('a', '2', { ifAbsent: true })).toBe(false)
  expect(await store.get('a')).toBe('1')
  pass(10)
  expect(await store.set('a', '3', { ifAbsent: true })).toBe(true)
  expect(await store.get('a')).toBe('3')
})

it('lets one of many concurrent writes with ifAbsent succeed', async () => {
  const { store } = aStore()
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, i) => store.set('a', String(i), { ifAbsent: true })),
  )
  expect(results.filter(Boolean)).toHaveLength(1)
})

it('replaces a value only if it equals the expected one', async () => {
  const { store } = aStore()
  expect(await store.compareAndSet('a', '1', '2')).toBe(false)
  await store.set('a', '1')
  expect(await store.compareAndSet('a', '0', '2')).toBe(false)
  expect(await store.compareAndSet('a', '1', '2')).toBe(true)
  expect(await store.get('a')).toBe('2')
})

it('gives a replaced value its new lifetime, or no expiry if there is none', async () => {
  const { store, pass } = aStore()
  await store.set('a', '1', { ttlMs: 10 })
  await store.compareAndSet('a', '1', '1')
  pass(1_000)
  expect(await store.get('a')).toBe('1')
  await store.compareAndSet('a', '1', '1', { ttlMs: 10 })
  pass(10)
  expect(await store.compareAndSet('a', '1', '2')).toBe(false)
})

it('gives a value to one of many callers that take it concurrently', async () => {
  const { store, pass } = aStore()
  await store.set('a', '1')
  const taken = await Promise.all(Array.from({ length: 50 }, () => store.take('a')))
  expect(taken.filter((value) => value !== null)).toEqual(['1'])
  await store.set('a', '1', { ttlMs: 1 })
  pass(1)
  expect(await store.take('a')).toBeNull()
})

it('deletes with compareAndDelete only if the value equals the expected one', async () => {
  const { store, pass } = aStore()
  await store.set('lock', 'mine', { ttlMs: 10 })
  expect(await store.compareAndDelete('lock', 'yours')).toBe(false)
  expect(await store.compareAndDelete('lock', 'mine')).toBe(true)
  await store.set('lock', 'mine', { ttlMs: 10 })
  pass(10)
  expect(await store.compareAndDelete('lock', 'mine')).toBe(false)
})

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
})

it('measures lifetimes by the clock of the system by default', async () => {
  vi.useFakeTimers({ now: 1_000 })
  const store = memoryStore()
  await store.set('a', '1', { ttlMs: 5 })
  vi.setSystemTime(1_004)
  expect(await store.get('a')).toBe('1')
  vi.setSystemTime(1_005)
  expect(await store.get('a')).toBeNull()
  vi.useRealTimers()
})

it('accepts names of Object.prototype as keys', async () => {
  const { store } = aStore()
  await store.set('__proto__', '1')
  await store.set('constructor', '2')
  expect(await store.get('__proto__')).toBe('1')
  expect(await store.get('toString')).toBeNull()
})

it('rejects a lifetime that is not a number, and writes nothing', async () => {
  const store = memoryStore()

  for (const ttlMs of [Number.NaN, null, '5'] as never[]) {
    await expect(store.set('key', 'value', { ttlMs })).rejects.toThrow('ttlMs must be a number')
  }

  expect(await store.get('key')).toBeNull()
})
