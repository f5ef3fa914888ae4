import { expect, it } from 'vitest'
import type { Verification } from '../../../src/index.ts'
import { collect } from '../../support/collect.ts'
import { clientWith, hourMs, managed, minuteMs, recordKey, subject } from './managed.ts'

/** Four people: two open, one in review, one approved. */
async function people() {
  const made = managed()
  const verifications = made.manager()
  for (const [who, status] of [
    ['first', undefined],
    ['reviewed', 'IN_REVIEW'],
    ['second', undefined],
    ['approved', 'APPROVED'],
  ] as const) {
    const { sessionId } = await verifications.start(who)
    if (status) await made.emulator.sessions.complete(String(sessionId), status)
    await verifications.refresh(who)
    made.passTime(minuteMs)
  }
  return { ...made, verifications }
}

const subjectsOf = (all: readonly Verification[]) => all.map((one) => one.subject)

it('list yields the people in a state, the one that changed longest ago first', async () => {
  const { verifications } = await people()

  expect(subjectsOf(await collect(verifications.list({ state: 'open' })))).toEqual(['first', 'second'])
  expect(await collect(verifications.list({ state: 'in_review' }))).toEqual([await verifications.get('reviewed')])
  expect(await collect(verifications.list({ state: 'starting' }))).toEqual([])
})

it('list yields only people who have not changed since changedBefore, and at most limit of them', async () => {
  const { verifications, clock } = await people()
  const changedBefore = new Date(clock.timing.wallClock() - 2 * minuteMs)

  expect(subjectsOf(await collect(verifications.list({ state: 'open', changedBefore })))).toEqual(['first'])
  expect(subjectsOf(await collect(verifications.list({ state: 'open', limit: 1 })))).toEqual(['first'])
})

it('count returns how many people are in a state', async () => {
  const { verifications } = await people()

  const counts = ['open', 'in_review', 'starting'].map((state) => verifications.count(state as 'open'))
  expect(await Promise.all(counts)).toEqual([2, 1, 0])
})

it('a person is in the order of the last change, also while a change is to be delivered', async () => {
  const { verifications, manager, passTime, clock } = await people()
  const failing = manager({ onChange: () => Promise.reject(new Error('no')) })
  await failing.start('third').catch(() => {})
  passTime(minuteMs)
  await verifications.start('fourth')

  const open = await collect(verifications.list({ state: 'open' }))

  expect(subjectsOf(open)).toEqual(['first', 'second', 'third', 'fourth'])
  expect(await verifications.count('open')).toBe(4)
  expect(clock.timing.now()).toBeGreaterThan(0)
})

it('a person who leaves the state while the list is read is not yielded', async () => {
  const { verifications, emulator } = await people()
  const seen: string[] = []

  for await (const { subject: who } of verifications.list({ state: 'open' })) {
    seen.push(who)
    const { sessionId } = await verifications.get('second')
    await emulator.sessions.complete(String(sessionId), 'APPROVED')
    await verifications.refresh('second')
  }

  expect(seen).toEqual(['first'])
})

it('a person who changes and stays in the state is yielded once', async () => {
  const { verifications, manager, client, passTime } = await people()
  const changed = clientWith(client(), {
    decision: async () => ({
      status: 'IN_PROGRESS',
      decision: null,
      checks: [{ type: 'age', status: 'passed' }] as never,
    }),
  })
  const seen: string[] = []

  for await (const { subject: who } of verifications.list({ state: 'open' })) {
    seen.push(who)
    passTime(minuteMs)
    for (const one of ['first', 'second']) await manager({ client: changed }).refresh(one)
  }

  expect(seen).toEqual(['first', 'second'])
})

it('list removes the entry of a record that is gone', async () => {
  const { verifications, store } = await people()
  await store.delete(recordKey.replace(subject, 'first'))

  expect(subjectsOf(await collect(verifications.list({ state: 'open' })))).toEqual(['second'])

  expect(await verifications.count('open')).toBe(1)
})

it('forget removes the entry of a record that cannot be read', async () => {
  const { verifications, store } = await people()
  await store.set(recordKey.replace(subject, 'first'), 'damaged')

  expect(await verifications.forget('first')).toBe(true)

  expect(await verifications.count('open')).toBe(1)
})

it.each([
  [{ state: 'approved' }, 'state'],
  [{}, 'state'],
  [{ state: 'open', limit: 0 }, 'limit'],
  [{ state: 'open', changedBefore: 'yesterday' }, 'changedBefore'],
  [{ state: 'open', before: new Date() }, 'before'],
])('list rejects %o', async (options, name) => {
  const { verifications } = await people()

  await expect(collect(verifications.list(options as never))).rejects.toMatchObject({
    name: 'InvalidParamsError',
    message: expect.stringContaining(name),
  })
})

it('count rejects a state that is not pending', async () => {
  const { manager } = managed()

  await expect(manager().count('approved' as never)).rejects.toMatchObject({ name: 'InvalidParamsError' })
})

/** A custom store that keeps no lists. */
function unlisted() {
  const made = managed()
  const { lists: _, ...store } = made.store
  return { ...made, verifications: made.manager({ store }) }
}

it('with a store that keeps no lists, list and count say so', async () => {
  const { verifications } = unlisted()
  const failure = { name: 'ConfigurationError', message: expect.stringContaining('lists') }

  await expect(collect(verifications.list({ state: 'open' }))).rejects.toMatchObject(failure)
  await expect(verifications.count('open')).rejects.toMatchObject(failure)
})

it('with a store that keeps no lists, reconcile reads all people', async () => {
  const { verifications, emulator, passTime } = unlisted()
  const { sessionId } = await verifications.start(subject)
  await emulator.sessions.complete(String(sessionId), 'APPROVED')
  passTime(hourMs / 2)

  expect(await verifications.reconcile()).toEqual({ visited: 1, changed: 1, failed: 0, failures: [] })
  expect(await verifications.forget(subject)).toBe(true)
})

it('reconcile with all finds people whom a store without lists has written, and lists them', async () => {
  const { verifications, manager, passTime } = unlisted()
  await verifications.start(subject)
  passTime(hourMs / 2)

  expect(await manager().reconcile()).toMatchObject({ visited: 0 })
  expect(await manager().reconcile({ all: true })).toMatchObject({ visited: 1 })
  expect(subjectsOf(await collect(manager().list({ state: 'open' })))).toEqual([subject])
})

it('reconcile removes an entry whose record is gone or is in another list', async () => {
  const { verifications, store, passTime, emulator } = await people()
  await store.delete(recordKey.replace(subject, 'first'))
  const second = await store.get(recordKey.replace(subject, 'second'))
  await store.set(recordKey.replace(subject, 'second'), String(second).replaceAll('"open"', '"ended"'))
  passTime(hourMs / 2)
  expect(await verifications.count('open')).toBe(2)

  await verifications.reconcile()

  expect(await verifications.count('open')).toBe(0)
  expect(emulator.requests.length).toBeGreaterThan(0)
})
