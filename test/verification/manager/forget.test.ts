import { setImmediate } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { type Store, StoreError, type VerificationChange } from '../../../src/index.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { busyElsewhere, clientWith, managed, recordKey, storeWith, subject } from './managed.ts'

it('a person who is forgotten during a start stays forgotten, and no change is reported', async () => {
  const made = managed()
  const real = made.client()
  const forgetting = clientWith(real, {
    create: async (...call) => {
      const session = await real.sessions.create(...call)
      await made.manager().forget(subject)
      return session
    },
  })

  expect(await made.manager({ client: forgetting }).start(subject)).toMatchObject({
    state: 'none',
    url: null,
  })

  expect(await made.store.get(recordKey)).toBeNull()
  expect(made.changes).toEqual([])
})

it('a start that ends after its person was forgotten adds nothing to a later start', async () => {
  const made = managed()
  const real = made.client()
  const slow = clientWith(real, {
    create: async (...call) => {
      const session = await real.sessions.create(...call)
      await made.manager().forget(subject)
      made.passTime(30_000)
      await made.manager().start(subject)
      return session
    },
  })

  await made.manager({ client: slow }).start(subject)

  expect((await made.record()).sessions).toHaveLength(1)
  expect(made.transitions()).toEqual(['none > open'])
})

it('onChange may forget its person, and then is not called again', async () => {
  const made = managed()
  const onChange = vi.fn(async ({ subject: who }: VerificationChange) => {
    await verifications.forget(who)
  })
  const verifications = made.manager({ onChange })

  await verifications.start(subject)

  expect(onChange).toHaveBeenCalledOnce()
  expect(await made.store.get(recordKey)).toBeNull()
})

it.each(['lists', 'set'] as const)(
  'a start whose first write was executed without a response does not bring a forgotten person back: %s',
  async (written) => {
    const made = managed()
    let creates = 0
    const executed = async (isFirst: boolean, write: () => Promise<boolean>) => {
      const isWritten = await write()
      if (!isFirst || creates++ > 0) return isWritten
      expect(await made.manager().forget(subject)).toBe(true)
      throw new Error('timeout')
    }
    const { lists, ...plain } = made.store
    const store: Store = {
      ...plain,
      set: (key, value, options) =>
        executed(written === 'set' && key === recordKey, () => plain.set(key, value, options)),
      ...(written === 'lists' && {
        lists: {
          ...lists,
          replace: (key, from, to) => executed(from.value === null, () => lists.replace(key, from, to)),
        },
      }),
    }

    await expect(made.manager({ store }).start(subject)).rejects.toMatchObject({
      name: 'StoreError',
      mayHaveHappened: true,
    })

    expect(await made.store.get(recordKey)).toBeNull()
    expect(await made.client().sessions.list()).toEqual([])
  },
)

it('a start whose first write failed before it was executed is tried again if the store says so', async () => {
  const made = managed()
  let failures = 1
  const { lists, ...plain } = made.store
  const replace: typeof lists.replace = async (...call) => {
    if (failures-- > 0) throw new StoreError({ message: 'not connected', mayHaveHappened: false })
    return lists.replace(...call)
  }

  const { state } = await made.manager({ store: { ...plain, lists: { ...lists, replace } } }).start(subject)

  expect(state).toBe('open')
})

it.each([undefined, () => {}])(
  'a manager whose onChange is %s forgets after onChange of another process',
  async (onChange) => {
    const made = managed({ waitsTakeTime: true })
    await made.started()
    await busyElsewhere(made.store, 'delivery')

    expect(await thrownBy(made.manager({ onChange }).forget(subject))).toMatchObject({
      name: 'StoreError',
      operation: 'verifications.forget',
      message: expect.stringContaining('Nothing was forgotten'),
    })
    expect(await made.record()).not.toBeNull()
  },
)

it('changes are delivered if a forget that began meanwhile fails', async () => {
  const { manager, store, emulator } = managed()
  const fails = manager({ onChange: () => Promise.reject(new Error('no')) })
  await fails.start(subject).catch(() => {})
  await emulator.sessions.complete((await fails.get(subject)).sessionId ?? '', 'APPROVED')
  const broken = storeWith(store, {
    async compareAndDelete(key, expected) {
      if (key !== recordKey) return store.compareAndDelete(key, expected)
      for (let turn = 0; turn < 20; turn++) await setImmediate()
      throw new Error('connection lost')
    },
  })
  const transitions: string[] = []
  let forgotten: Promise<unknown> | undefined
  const forgetting = manager({
    store: broken,
    onChange({ from, to }) {
      transitions.push(`${from} > ${to}`)
      forgotten ??= thrownBy(forgetting.forget(subject))
    },
  })

  await forgetting.refresh(subject)

  expect(transitions).toEqual(['none > open', 'open > approved'])
  expect(await forgotten).toBeInstanceOf(StoreError)
})
