import { expect, it, vi } from 'vitest'
import type { VerificationChange } from '../../../src/index.ts'
import { patient } from '../../support/patience.ts'
import { managed, runKey, storeWith, subject } from './managed.ts'

/** A start whose `onChange` waits until its signal aborts, or until it is told to end. */
async function whileChanging(over: Parameters<typeof managed>[0] = {}) {
  const made = managed(over)
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const onChange = vi.fn(async (_: VerificationChange, { signal }: { signal: AbortSignal }) => {
    await Promise.race([ended, new Promise((abort) => signal.addEventListener('abort', abort))])
    signal.throwIfAborted()
  })
  /** The key of the lease of the process that calls onChange. */
  const deliveryKey = async () => runKey((await made.record()).delivery)
  return { ...made, onChange, end, deliveryKey }
}

/** Handled at once, because it may reject while the clock moves. */
const failureOf = (start: Promise<unknown>) => start.catch((thrown: unknown) => thrown)

it('the signal of onChange aborts when another process has taken its lock', async () => {
  const { manager, onChange, store, clock, deliveryKey } = await whileChanging()
  const start = failureOf(manager({ onChange }).start(subject))
  await vi.waitUntil(() => onChange.mock.calls.length > 0, patient)

  await store.set(await deliveryKey(), 'another process')
  await clock.advance(10_000)

  expect(await start).toMatchObject({ name: 'StoreError', message: expect.stringContaining('lease') })
})

it('the signal of onChange aborts when its lease cannot be renewed until it ends', async () => {
  const { manager, onChange, store, clock } = await whileChanging()
  const cut = storeWith(store, {
    compareAndSet: (key, ...call) =>
      key.startsWith(runKey('')) ? Promise.reject(new Error('cut off')) : store.compareAndSet(key, ...call),
  })
  const start = failureOf(manager({ store: cut, onChange }).start(subject))
  await vi.waitUntil(() => onChange.mock.calls.length > 0, patient)

  await clock.advance(30_000)

  expect(await start).toMatchObject({ name: 'StoreError' })
})

it('the signal of onChange does not abort while its lease is renewed', async () => {
  const { manager, onChange, end, clock } = await whileChanging()
  const start = manager({ onChange }).start(subject)
  await vi.waitUntil(() => onChange.mock.calls.length > 0, patient)

  for (let i = 0; i < 9; i++) {
    await clock.advance(10_000)
  }
  end()

  expect(await start).toMatchObject({ state: 'open' })
  expect(onChange).toHaveBeenCalledOnce()
})

it('a change is not delivered by a process that lost its lock, but by the next one', async () => {
  const { manager, onChange, store, clock, transitions, deliveryKey } = await whileChanging()
  const start = failureOf(manager({ onChange }).start(subject))
  await vi.waitUntil(() => onChange.mock.calls.length > 0, patient)
  await store.set(await deliveryKey(), 'another process', { ttlMs: 30_000 })
  await clock.advance(10_000)
  expect(await start).toMatchObject({ name: 'StoreError' })
  await clock.advance(30_000)

  await manager().reconcile()

  expect(transitions()).toEqual(['none > open'])
})
