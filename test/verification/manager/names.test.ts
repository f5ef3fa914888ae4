import { expect, it } from 'vitest'
import { ConfigurationError } from '../../../src/index.ts'
import { dayMs, eventFor, managed, redirectUrl, subject } from './managed.ts'

const workflows = ['wf_1', 'wf_2'].map((id) => ({ id, name: id, features: ['age'] as const }))
const session = (workflow_id: string) => ({ workflow_id, redirect_url: redirectUrl })

it('managers with different names never share a record', async () => {
  const { manager, emulator } = managed({ emulator: { workflows } })
  const age = manager({ name: 'age', session: session('wf_1') })
  const identity = manager({ name: 'identity', session: session('wf_2') })
  const { sessionId } = await age.start(subject)
  await emulator.sessions.complete(sessionId ?? '', 'APPROVED')

  expect(await identity.handle(eventFor(sessionId ?? ''))).toBeNull()
  expect(await age.refresh(subject)).toMatchObject({ state: 'approved' })
  expect(await identity.get(subject)).toMatchObject({ state: 'none' })
  expect((await identity.start(subject)).sessionId).not.toBe(sessionId)
  expect(await identity.forget(subject)).toBe(true)
  expect(await age.get(subject)).toMatchObject({ state: 'approved' })
})

it('reconcile visits the people of its own manager only', async () => {
  const { manager, passTime } = managed()
  await manager({ name: 'a' }).start(subject)
  await manager({ name: 'a.b' }).start('user-43')
  passTime(dayMs)

  expect(await manager({ name: 'a' }).reconcile()).toMatchObject({ visited: 1, failed: 0 })
})

it.each(['', 'a:b', 'a b', 'é', 'x'.repeat(65), 7])('the name %j is a ConfigurationError', (name) => {
  expect(() => managed().manager({ name: name as string })).toThrow(ConfigurationError)
})

it('a start for another workflow does not resume the open session', async () => {
  const { manager, emulator, count } = managed({ emulator: { workflows } })
  const weak = await manager().start(subject, { workflow_id: 'wf_1' })

  const strong = await manager().start(subject, { workflow_id: 'wf_2' })

  expect(strong).toMatchObject({ state: 'open', attempts: 2 })
  expect(strong.sessionId).not.toBe(weak.sessionId)
  expect(await manager().start(subject, { workflow_id: 'wf_2' })).toMatchObject({
    sessionId: strong.sessionId,
  })
  expect(count('sessions.create')).toBe(2)
  await emulator.sessions.complete(weak.sessionId ?? '', 'APPROVED')
  await manager().handle(eventFor(weak.sessionId ?? ''))
  expect(await manager().get(subject)).toMatchObject({ state: 'open', sessionId: strong.sessionId })
})

it.each(['APPROVED', 'IN_REVIEW'] as const)(
  'a start for another workflow creates a session when that of the first is %s',
  async (outcome) => {
    const { manager, emulator, count } = managed({ emulator: { workflows } })
    const weak = await manager().start(subject, { workflow_id: 'wf_1' })
    await emulator.sessions.complete(weak.sessionId ?? '', outcome)
    const { state } = await manager().refresh(subject)

    expect(await manager().start(subject, { workflow_id: 'wf_1' })).toMatchObject({ state })
    const strong = await manager().start(subject, { workflow_id: 'wf_2' })

    expect(strong.state).toBe('open')
    expect(strong.sessionId).not.toBe(weak.sessionId)
    expect(count('sessions.create')).toBe(2)
  },
)
