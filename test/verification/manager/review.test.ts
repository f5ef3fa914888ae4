import { expect, it } from 'vitest'
import { BadRequestError, ConflictError, NotVerifiedError, type ReviewParams } from '../../../src/index.ts'
import { approving, clientWith, dayMs, eventFor, managed, recordKey, storeWith, subject } from './managed.ts'

const note = { status: 'DECLINED', by: 'agent-7', reason: 'The photo was altered' } as const
/** Params of a review of a person who has no session. */
const unknown: ReviewParams = { ...note, sessionId: 'sess_1' }

/** A person whose session is in review. */
async function inReview() {
  const made = managed()
  const id = await made.started()
  await made.emulator.sessions.complete(id, 'IN_REVIEW')
  await made.manager().handle(eventFor(id))
  return { ...made, id, params: { ...note, sessionId: id } }
}

it.each([
  ['APPROVED', 'approved'],
  ['DECLINED', 'declined'],
] as const)('review with %s makes the state %s, and keeps by and reason', async (status, state) => {
  const { manager, id, params, transitions } = await inReview()

  const verification = await manager().review(subject, { ...params, status })

  expect(verification).toMatchObject({ state, sessionId: id, decidedAt: '2026-01-01T00:00:00.000Z' })
  expect(verification.history.at(-1)).toEqual({
    sessionId: id,
    state,
    at: '2026-01-01T00:00:00.000Z',
    by: 'agent-7',
    reason: 'The photo was altered',
  })
  expect(transitions().at(-1)).toBe(`in_review > ${state}`)
})

it('a review whose webhook was faster joins its entry of the history', async () => {
  const { manager, id, params, client, transitions } = await inReview()
  const real = client()
  const slow = clientWith(real, {
    updateStatus: async (...call) => {
      const session = await real.sessions.updateStatus(...call)
      await manager().handle(eventFor(id))
      return session
    },
  })

  const { history } = await manager({ client: slow }).review(subject, params)

  expect(history.map(({ state, by }) => [state, by])).toEqual([
    ['open', undefined],
    ['in_review', undefined],
    ['declined', 'agent-7'],
  ])
  expect(transitions()).toEqual(['none > open', 'open > in_review', 'in_review > declined'])
})

it('review of a decided session throws ConflictError and stores nothing', async () => {
  const { manager, params, store } = await inReview()
  await manager().review(subject, params)
  const before = await store.get(recordKey)

  const error = await manager()
    .review(subject, { ...params, status: 'APPROVED', by: 'agent-8' })
    .catch((thrown) => thrown)

  expect(error).toBeInstanceOf(ConflictError)
  expect(error.code).toBe('already_decided')
  expect(await store.get(recordKey)).toBe(before)
})

it('a review that was decided elsewhere throws already_decided, and leaves the queue', async () => {
  const { manager, client, id, params } = await inReview()
  await client().sessions.updateStatus(id, { status: 'APPROVED' })

  await expect(manager().review(subject, params)).rejects.toMatchObject({ code: 'already_decided' })

  expect(await manager().get(subject)).toMatchObject({ state: 'approved' })
  expect(await manager().count('in_review')).toBe(0)
})

it('if the store fails after a verdict, StoreError says that it was given, and refresh says who gave it', async () => {
  const { manager, store, client, params } = await inReview()
  let isAway = false
  const real = client()
  const decides = clientWith(real, {
    updateStatus: async (...call) => {
      const session = await real.sessions.updateStatus(...call)
      isAway = true
      return session
    },
  })
  const away = storeWith(store, {
    get: async (key) => (isAway ? Promise.reject(new Error('connection lost')) : store.get(key)),
  })

  await expect(manager({ store: away, client: decides }).review(subject, params)).rejects.toMatchObject({
    name: 'StoreError',
    mayHaveHappened: true,
    message: 'verifications.review: the verdict was given, but the store failed. Call refresh when it works again.',
  })

  const { state, history } = await manager().refresh(subject)
  expect(state).toBe('declined')
  expect(history.at(-1)).toMatchObject({ by: 'agent-7', reason: 'The photo was altered' })
  expect(history).toHaveLength(3)
})

it('if the intent of a review cannot be stored, nothing is sent', async () => {
  const { manager, store, params, count } = await inReview()
  const compareAndSet = () => Promise.reject(new Error('connection lost'))

  await expect(manager({ store: storeWith(store, { compareAndSet }) }).review(subject, params)).rejects.toMatchObject({
    name: 'StoreError',
  })
  expect(count('sessions.updateStatus')).toBe(0)
})

it('a verdict whose response was lost belongs to its reviewer, also if another one decides again', async () => {
  const { manager, client, params } = await inReview()
  const real = client()
  const crash = clientWith(real, {
    updateStatus: async (...call) => {
      await real.sessions.updateStatus(...call)
      throw new Error('the process ends')
    },
  })
  await expect(manager({ client: crash }).review(subject, params)).rejects.toThrow('the process ends')

  await expect(manager().review(subject, { ...params, by: 'agent-8' })).rejects.toMatchObject({
    code: 'already_decided',
  })

  expect((await manager().get(subject)).history.at(-1)).toMatchObject({ state: 'declined', by: 'agent-7' })
})

it('a reviewer who was noted stays, if the verdict of another one is confirmed by a read', async () => {
  const { manager, client, id, params } = await inReview()
  const real = client()
  const confirmed = clientWith(real, {
    updateStatus: async () => {
      await manager().review(subject, { ...params, by: 'agent-8' })
      return real.sessions.retrieve(id)
    },
  })

  const { history } = await manager({ client: confirmed }).review(subject, params)

  expect(history.at(-1)).toMatchObject({ state: 'declined', by: 'agent-8' })
})

it('if several lost verdicts may be the one that counts, nobody is named', async () => {
  const { manager, client, id, params } = await inReview()
  const lost = clientWith(client(), { updateStatus: () => Promise.reject(new Error('the process ends')) })
  for (const by of ['agent-7', 'agent-8', 'agent-7'])
    await expect(manager({ client: lost }).review(subject, { ...params, by })).rejects.toThrow('the process ends')

  await client().sessions.updateStatus(id, { status: 'DECLINED' })
  const { history } = await manager().refresh(subject)

  expect(history.at(-1)).toMatchObject({ state: 'declined' })
  expect(history.at(-1)).not.toHaveProperty('by')
})

it('the page of a proxy does not mean that a verdict was rejected', async () => {
  const { manager, client, params } = await inReview()
  const real = client()
  const proxied = clientWith(real, {
    updateStatus: async (...call) => {
      await real.sessions.updateStatus(...call)
      throw new BadRequestError({ code: 'http_400', message: 'a page' })
    },
  })
  await expect(manager({ client: proxied }).review(subject, params)).rejects.toMatchObject({ code: 'http_400' })

  expect((await manager().refresh(subject)).history.at(-1)).toMatchObject({ by: 'agent-7' })
})

it('review sends nothing if the person is forgotten meanwhile', async () => {
  const { manager, store, params, count } = await inReview()
  let isFirst = true
  const forgetful = storeWith(store, {
    get: async (key) => {
      const value = await store.get(key)
      if (isFirst && key === recordKey) {
        isFirst = false
        await manager().forget(subject)
      }
      return value
    },
  })

  await expect(manager({ store: forgetful }).review(subject, params)).rejects.toMatchObject({
    code: 'session_superseded',
  })
  expect(count('sessions.updateStatus')).toBe(0)
})

it('a verdict that the service rejected is not that of the reviewer, if somebody else decides the same', async () => {
  const { manager, client, emulator, id, params } = await inReview()
  emulator.faults.add({ match: 'sessions.updateStatus', status: 403 })
  await expect(manager().review(subject, params)).rejects.toMatchObject({ status: 403 })

  await client().sessions.updateStatus(id, { status: 'DECLINED' })
  const { state, history } = await manager().refresh(subject)

  expect(state).toBe('declined')
  expect(history.at(-1)).not.toHaveProperty('by')
})

it('review of a session that is no longer the current one throws ConflictError without a request', async () => {
  const { manager, emulator, id, params, count, passTime } = await inReview()
  await emulator.sessions.complete(id, 'DECLINED')
  await manager().refresh(subject)
  passTime(dayMs)
  const { sessionId } = await manager().start(subject)

  const error = await manager()
    .review(subject, { ...params, status: 'APPROVED' })
    .catch((thrown) => thrown)

  expect(error).toBeInstanceOf(ConflictError)
  expect(error).toMatchObject({ code: 'session_superseded', operation: 'verifications.review', attempts: 0 })
  expect(count('sessions.updateStatus')).toBe(0)
  expect(await manager().get(subject)).toMatchObject({ state: 'open', sessionId })
})

it('if the outcome cannot be read after a review, by and reason are kept, and refresh applies the outcome', async () => {
  const { manager, emulator, id, params } = await inReview()
  emulator.faults.add({ match: 'sessions.decision', status: 503 })

  await expect(manager().review(subject, params)).rejects.toMatchObject({ name: 'ServerError' })

  expect(await manager().get(subject)).toMatchObject({ state: 'in_review' })
  const { state, history } = await manager().refresh(subject)
  expect(state).toBe('declined')
  expect(history.at(-1)).toMatchObject({ sessionId: id, state: 'declined', by: 'agent-7' })
  expect(history).toHaveLength(3)
})

it('review of a person who has no session throws session_superseded without a request', async () => {
  const { manager, operations } = managed()

  await expect(manager().review(subject, unknown)).rejects.toMatchObject({ code: 'session_superseded' })
  expect(operations()).toEqual([])
})

it('review during a renewal throws session_superseded without a request', async () => {
  const { manager, emulator, id, params, count } = await inReview()
  await emulator.sessions.complete(id, 'APPROVED')
  await manager().refresh(subject)
  emulator.faults.add({ match: 'sessions.create', status: 503 })
  await manager()
    .start(subject, {}, { renew: 'always' })
    .catch(() => {})

  await expect(manager().review(subject, params)).rejects.toMatchObject({ code: 'session_superseded' })
  expect(count('sessions.updateStatus')).toBe(0)
})

/** A person who is approved, with these checks. */
async function approved(checks: readonly object[] = [{ type: 'liveness', status: 'passed' }], decided_at?: string) {
  const made = managed()
  const id = await made.started()
  const client = approving(made.client(), { decided_at, checks })
  await made.manager({ client }).handle(eventFor(id))
  return { ...made, verifications: made.manager() }
}

it('ensureApproved returns the verification of a person who is approved, and reads only the store', async () => {
  const { verifications, operations } = await approved()

  expect(await verifications.ensureApproved(subject)).toEqual(await verifications.get(subject))
  expect(operations()).toEqual(['sessions.create'])
})

it.each([
  ['none', undefined],
  ['open', undefined],
  ['in_review', 'IN_REVIEW'],
  ['declined', 'DECLINED'],
  ['ended', 'EXPIRED'],
] as const)('ensureApproved throws NotVerifiedError with reason %s', async (reason, status) => {
  const { manager, emulator, started } = managed()
  if (reason !== 'none') {
    const id = await started()
    if (status) await emulator.sessions.complete(id, status)
    await manager().refresh(subject)
  }

  const error = await manager()
    .ensureApproved(subject)
    .catch((thrown) => thrown)

  expect(error).toBeInstanceOf(NotVerifiedError)
  expect(error).toMatchObject({ code: 'not_verified', reason })
  expect(error.message).toMatch(
    new RegExp(`^verifications\\.ensureApproved: the person is not verified \\(${reason}\\)\\. \\w+ `),
  )
})

it('ensureApproved throws NotVerifiedError with reason starting', async () => {
  const { manager, emulator } = managed()
  emulator.faults.add({ match: 'sessions.create', status: 503 })
  await manager()
    .start(subject)
    .catch(() => {})

  await expect(manager().ensureApproved(subject)).rejects.toMatchObject({ reason: 'starting' })
})

it('ensureApproved with maxAgeMs throws if the approval is older', async () => {
  const { verifications, passTime } = await approved([], '2026-01-01T00:00:00Z')

  passTime(dayMs)
  await verifications.ensureApproved(subject, { maxAgeMs: dayMs })
  passTime(1)
  await expect(verifications.ensureApproved(subject, { maxAgeMs: dayMs })).rejects.toMatchObject({
    reason: 'too_old',
  })
})

it('an approval without decidedAt is too_old with maxAgeMs', async () => {
  const { verifications } = await approved([])

  expect(await verifications.ensureApproved(subject)).toMatchObject({ decidedAt: null })
  await expect(verifications.ensureApproved(subject, { maxAgeMs: Number.POSITIVE_INFINITY })).rejects.toMatchObject({
    reason: 'too_old',
  })
})

it('the checks option requires each named type to be passed in the record', async () => {
  const { verifications } = await approved([
    { type: 'liveness', status: 'passed' },
    { type: 'age', status: 'review' },
    { type: 'credential', status: 'passed' },
    { type: 'credential', status: 'failed' },
  ])

  await verifications.ensureApproved(subject, { checks: [] })
  await verifications.ensureApproved(subject, { checks: ['liveness'] })
  for (const type of ['age', 'credential', 'location'] as const) {
    await expect(verifications.ensureApproved(subject, { checks: ['liveness', type] })).rejects.toMatchObject({
      reason: 'check_missing',
    })
  }
})
