import { expect, it, vi } from 'vitest'
import type { VerificationChange } from '../../../src/index.ts'
import { clientWith, managed, recordKey, subject } from './managed.ts'

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
