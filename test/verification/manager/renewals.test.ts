import { expect, it } from 'vitest'
import { approving, clientWith, dayMs, eventFor, managed, storeWith, subject } from './managed.ts'

/** A person who was approved by a second session while the first one is still open. */
async function approvedByTheSecond() {
  const made = managed({ limit: false })
  const first = await made.started()
  await made.emulator.sessions.start(first)
  made.passTime(dayMs)
  const second = await made.started()
  await made.emulator.sessions.complete(second, 'APPROVED')
  await made.manager().refresh(subject)
  return { ...made, first, second }
}

/** Begins a renewal in a process that is killed before it creates a session. */
async function killRenewal({ manager, client }: ReturnType<typeof managed>) {
  const killed = clientWith(client(), { create: () => Promise.reject(new Error('the process was killed')) })
  await expect(manager({ client: killed }).start(subject, {}, { renew: 'always' })).rejects.toThrow()
}

it.each(['EXPIRED', 'DECLINED'] as const)(
  'an approval from before a renewal does not count after the renewal is %s',
  async (outcome) => {
    const made = await approvedByTheSecond()
    const { manager, first } = made
    const { sessionId: renewal } = await manager().start(subject, {}, { renew: 'always' })
    await made.emulator.sessions.complete(renewal ?? '', outcome)
    const { state } = await manager().refresh(subject)

    expect(await manager({ client: approving(made.client()) }).handle(eventFor(first))).toBeNull()

    expect((await manager().get(subject)).state).toBe(state)
    expect((await manager().get(subject)).history.at(-1)).toMatchObject({
      sessionId: first,
      state: 'approved',
    })
  },
)

it.each([
  ['DECLINED', 'declined'],
  ['EXPIRED', 'ended'],
  ['IN_REVIEW', 'in_review'],
  ['APPROVED', 'approved'],
] as const)(
  'the session of a renewal whose response was lost decides, also if it is %s by now',
  async (outcome, state) => {
    const made = await approvedByTheSecond()
    let renewal = ''
    const lost = clientWith(made.client(), {
      create: async (params) => {
        renewal = (await made.client().sessions.create(params)).session_id
        throw new Error('the connection broke')
      },
    })
    await expect(made.manager({ client: lost }).start(subject, {}, { renew: 'always' })).rejects.toThrow()
    await made.emulator.sessions.complete(renewal, outcome)

    expect(await made.manager().refresh(subject)).toMatchObject({ state, sessionId: renewal })
  },
)

it('an ended session that lacks its url does not stop the start that takes a renewal over', async () => {
  const made = await approvedByTheSecond()
  await killRenewal(made)
  const client = clientWith(made.client(), {
    list: async () => [{ session_id: 'sess_old', status: 'EXPIRED', vendor_data: subject } as never],
  })

  expect(await made.manager({ client }).refresh(subject)).toMatchObject({ state: 'approved' })
})

it('a session that had expired before a renewal began is not taken for the one of the renewal', async () => {
  const made = await approvedByTheSecond()
  await made.manager().forget(subject)
  const approved = await made.started()
  await made.emulator.sessions.complete(approved, 'APPROVED')
  await made.manager().refresh(subject)
  made.passTime(dayMs)
  await killRenewal(made)

  expect(await made.manager().refresh(subject)).toMatchObject({ state: 'approved', sessionId: approved })
})

it('a renewal that nobody finished is undone by the next start, which finds no session of it', async () => {
  const made = await approvedByTheSecond()
  await killRenewal(made)
  expect((await made.manager().get(subject)).state).toBe('starting')
  const created = made.count('sessions.create')

  expect(await made.manager().start(subject)).toMatchObject({ state: 'approved', sessionId: made.second })

  expect(made.count('sessions.create')).toBe(created)
  expect(made.transitions().at(-1)).toBe('open > approved')
})

it('a session that was decided before a renewal began is not taken for the one of the renewal', async () => {
  const made = managed()
  const forgotten = await made.started()
  await made.emulator.sessions.complete(forgotten, 'APPROVED')
  await made.manager().forget(subject)
  const known = await made.started()
  await made.emulator.sessions.complete(known, 'APPROVED')
  await made.manager().refresh(subject)
  made.passTime(1_000)
  await killRenewal(made)

  await made.manager().refresh(subject)

  expect(await made.manager().get(subject)).toMatchObject({
    state: 'approved',
    sessionId: known,
    attempts: 1,
  })
})

it('reconcile restores the approval of a person whose renewal created no session', async () => {
  const made = await approvedByTheSecond()
  await killRenewal(made)
  made.passTime(dayMs)

  await made.manager().reconcile()

  expect(await made.manager().get(subject)).toMatchObject({ state: 'approved', sessionId: made.second })
})

it('a renewal that is rejected after another start took it over leaves the approval', async () => {
  const made = await approvedByTheSecond()
  const real = made.client()
  const slow = clientWith(real, {
    create: async () => {
      made.passTime(30_000)
      await made.manager().start(subject)
      // The service knows no such workflow, so it creates nothing.
      return real.sessions.create({ workflow_id: 'wf_unknown' })
    },
  })

  await expect(made.manager({ client: slow }).start(subject, {}, { renew: 'always' })).rejects.toMatchObject({
    code: 'workflow_not_found',
  })

  expect(await made.manager().get(subject)).toMatchObject({ state: 'approved', sessionId: made.second })
})

it('if a rejected renewal cannot be undone, the next start undoes it', async () => {
  const made = await approvedByTheSecond()
  let writes = 0
  const failing = storeWith(made.store, {
    compareAndSet: (...call) =>
      ++writes === 1 ? made.store.compareAndSet(...call) : Promise.reject(new Error('the store is down')),
  })
  const params = { workflow_id: 'wf_unknown' }
  await expect(made.manager({ store: failing }).start(subject, params, { renew: 'always' })).rejects.toMatchObject({
    code: 'workflow_not_found',
  })
  expect((await made.manager().get(subject)).state).toBe('starting')

  expect(await made.manager().start(subject)).toMatchObject({ state: 'approved', sessionId: made.second })
})
