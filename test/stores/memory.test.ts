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

it('keeps a value until its lifetime ends, to the millisecond', async () => {
  const { store, pass } = aStore()
  await store.set('a', '1', { ttlMs: 100 })
  pass(99)
  expect(await store.get('a')).toBe('1')
  pass(1)
  expect(await store.get('a')).toBeNull()
  expect(await store.delete('a')).toBe(false)
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

it('rejects a lifetime that is not a number, and writes nothing', async () => {
  const store = memoryStore()

  for (const ttlMs of [Number.NaN, null, '5'] as never[]) {
    await expect(store.set('key', 'value', { ttlMs })).rejects.toThrow('ttlMs must be a number')
  }

  expect(await store.get('key')).toBeNull()
})
