import { expect, it } from 'vitest'
import { StoreError } from '../../src/errors.ts'
import { guardedStore } from '../../src/stores/guarded-store.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import type { Store } from '../../src/stores/store.ts'

const operations: readonly [name: keyof Store, run: (store: Store) => Promise<unknown>][] = [
  ['get', (store) => store.get('k')],
  ['set', (store) => store.set('k', 'v', { ttlMs: 5, ifAbsent: true })],
  ['compareAndSet', (store) => store.compareAndSet('k', 'a', 'b', { ttlMs: 5 })],
  ['take', (store) => store.take('k')],
  ['delete', (store) => store.delete('k')],
  ['compareAndDelete', (store) => store.compareAndDelete('k', 'a')],
]

const failing = (operation: keyof Store, fail: () => Promise<never>): Store => ({
  ...memoryStore(),
  [operation]: fail,
})

it.each(operations)(
  'reports a rejection of %s as a StoreError with the message of its owner',
  async (name, run) => {
    const store = guardedStore(
      failing(name, () => Promise.reject(new Error('down'))),
      'the store of claims failed',
    )

    const error = await run(store).catch((thrown: unknown) => thrown)

    expect(error).toBeInstanceOf(StoreError)
    expect(error).toMatchObject({ message: expect.stringContaining('the store of claims failed') })
  },
)

it.each(operations)('reports what %s throws synchronously as a StoreError', async (name, run) => {
  const store = guardedStore(
    failing(name, () => {
      throw new TypeError('not connected')
    }),
    'it failed',
  )

  await expect(run(store)).rejects.toBeInstanceOf(StoreError)
})

it.each(operations)('passes every argument of %s to the store, and returns its result', async (name, run) => {
  const calls: unknown[][] = []
  const recorded = (...given: unknown[]) => {
    calls.push(given)
    return Promise.resolve(name)
  }
  const plain: unknown[][] = []
  await run({ ...memoryStore(), [name]: async (...given: unknown[]) => void plain.push(given) })

  const result = await run(guardedStore({ ...memoryStore(), [name]: recorded }, 'it failed'))

  expect(result).toBe(name)
  expect(calls.map((given) => given.filter((one) => one !== undefined))).toEqual(plain)
})
