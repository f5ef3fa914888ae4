import { expect, it, vi } from 'vitest'
import { InvalidResponseError, type Session, StoreError } from '../../../src/index.ts'
import { recordingLogger } from '../../support/recording-logger.ts'
import { refuseConnection, scriptedFetch } from '../../support/scripted-fetch.ts'
import {
  approving,
  busyElsewhere,
  clientWith,
  dayMs,
  eventFor,
  hourMs,
  managed,
  recordKey,
  redirectUrl,
  runKey,
  storeWith,
  subject,
} from './managed.ts'

const leaseMs = 30_000

/** The open sessions of the subject at the service. */
const openSessions = async ({ client }: ReturnType<typeof managed>) =>
  (await client().sessions.list({ vendor_data: subject })).filter(({ status }) => status === 'NOT_STARTED')

const never = () => new Promise<never>(() => {})

/** Starts in a process that does nothing more once it has written its intent. Resolves when it has. */
const startAndCrash = ({ manager, client }: ReturnType<typeof managed>) =>
  new Promise<void>((resolve, reject) => {
    const create = () => {
      resolve()
      return never()
    }
    manager({ client: clientWith(client(), { create }) })
      .start(subject)
      .catch(reject)
  })

it('other starts wait for a process that was killed, for as long as its lease', async () => {
  const made = managed({ waitsTakeTime: true })
  await startAndCrash(made)
  const startedAt = made.clock.timing.now()

  const all = await Promise.all([made.manager().start(subject), made.manager().start(subject)])

  expect(new Set(all.map(({ url }) => url)).size).toBe(1)
  expect(await openSessions(made)).toHaveLength(1)
  const waitedMs = made.clock.timing.now() - startedAt
  expect(waitedMs).toBeGreaterThanOrEqual(leaseMs)
  expect(waitedMs).toBeLessThan(leaseMs + 2_000)
})

it('a start waits for at most four leases, unless deadlineMs says otherwise', async () => {
  const made = managed({ waitsTakeTime: true, startLeaseMs: 1_000 })
  await busyElsewhere(made.store, 'start')

  await expect(made.manager().start(subject)).rejects.toMatchObject({
    name: 'TimeoutError',
    limit: 'deadlineMs',
    limitMs: 4_000,
    mayHaveArrived: false,
    message: expect.stringMatching(/^verifications\.start: another start/),
  })
  await expect(made.manager().start(subject, {}, { deadlineMs: 10 })).rejects.toMatchObject({ limitMs: 10 })
})

it('a signal ends the wait for another start', async () => {
  const made = managed()
  await busyElsewhere(made.store, 'start')
  const controller = new AbortController()

  const start = made.manager().start(subject, {}, { signal: controller.signal })
  controller.abort(new Error('the visitor has left'))

  await expect(start).rejects.toMatchObject({
    name: 'AbortedError',
    mayHaveArrived: false,
    cause: { message: 'the visitor has left' },
  })
})

it.each([400, 401, 404, 409, 422, 429])(
  'a create that the service rejected with %i restores the previous record and is not an attempt',
  async (status) => {
    const { manager, emulator, store } = managed()
    emulator.faults.add({ match: 'sessions.create', status })

    await expect(manager().start(subject)).rejects.toMatchObject({ status })

    expect(await store.get(recordKey)).toBeNull()
    expect(await manager().get(subject)).toMatchObject({ state: 'none', attempts: 0 })
  },
)

it('a rejected create restores the record of a person who was declined', async () => {
  const { manager, emulator, store, started, passTime } = managed()
  await emulator.sessions.complete(await started(), 'DECLINED')
  await manager().refresh(subject)
  const before = await store.get(recordKey)
  passTime(1_000)

  await expect(manager().start(subject, { workflow_id: 'wf_unknown' })).rejects.toMatchObject({
    code: 'workflow_not_found',
  })

  expect(await store.get(recordKey)).toBe(before)
})

it('a create that is rejected after another process took the start over leaves the start of that process', async () => {
  const made = managed()
  const real = made.client()
  const client = clientWith(real, {
    create: async () => {
      made.passTime(leaseMs)
      await startAndCrash(made)
      return real.sessions.create({ workflow_id: 'wf_unknown' })
    },
  })

  await expect(made.manager({ client }).start(subject)).rejects.toMatchObject({ code: 'workflow_not_found' })

  expect((await made.manager().get(subject)).state).toBe('starting')
})

it('a create that was never sent restores the previous record', async () => {
  const { manager, client, store } = managed()
  const { fetch } = scriptedFetch(refuseConnection)

  await expect(manager({ client: client({ fetch }) }).start(subject)).rejects.toMatchObject({
    name: 'ConnectionError',
    mayHaveArrived: false,
  })
  await expect(manager({ session: () => ({ redirect_url: 'not a URL' }) }).start(subject)).rejects.toMatchObject({
    name: 'InvalidParamsError',
  })

  expect(await store.get(recordKey)).toBeNull()
})

it('a function for the params that throws leaves no trace', async () => {
  const { manager, store } = managed()
  const failure = new Error('the database is down')
  const session = () => Promise.reject(failure)

  await expect(manager({ session }).start(subject)).rejects.toBe(failure)

  expect(await store.get(recordKey)).toBeNull()
})

it.each([
  ['a 408', { status: 408 }],
  ['a 500', { status: 500 }],
  ['a 503', { status: 503 }],
  ['a lost response', { reset: true, when: 'after' as const }],
  ['a page of a proxy', { malformed: 'not_json' as const }],
])('%s leaves the state starting, which the next start takes over at once', async (_, fault) => {
  const made = managed()
  const { logger, warnings } = recordingLogger()
  made.emulator.faults.add({ match: 'sessions.create', ...fault })

  await expect(made.manager({ client: made.client({ logger }) }).start(subject)).rejects.toThrow()

  expect(await made.manager().get(subject)).toMatchObject({
    state: 'starting',
    sessionId: null,
    url: null,
    attempts: 0,
  })
  expect(made.changes).toEqual([])
  const verification = await made.manager({ client: made.client({ logger }) }).start(subject)
  expect(verification).toMatchObject({ state: 'open', attempts: 1 })
  expect(await openSessions(made)).toMatchObject([{ session_id: verification.sessionId }])
  expect(made.transitions()).toEqual(['none > open'])
  expect(warnings.map(([message]) => message)).toEqual([
    'sessions.create error',
    expect.stringMatching(/^verifications: It is unknown whether/),
    'verifications.start failed',
    expect.stringMatching(/^verifications: A start had not ended/),
  ])
})

it('an error of a client that is not of this package leaves the state starting', async () => {
  const made = managed()
  const client = clientWith(made.client(), { create: () => Promise.reject(new Error('what happened?')) })

  await expect(made.manager({ client }).start(subject)).rejects.toThrow('what happened?')

  expect((await made.manager().get(subject)).state).toBe('starting')
})

it('taking over asks the service for the sessions of the subject, and creates one only if none is adopted', async () => {
  const made = managed()
  const list = vi.fn(async () => [])
  await startAndCrash(made)
  made.passTime(leaseMs)

  await made.manager({ client: clientWith(made.client(), { list }) }).start(subject)

  expect(list).toHaveBeenCalledExactlyOnceWith({ vendor_data: subject }, { deadlineMs: 24_000 })
  expect(made.count('sessions.create')).toBe(1)
})

const listed = (more: object) =>
  ({
    session_id: 'sess_listed',
    status: 'NOT_STARTED',
    url: 'https://id.example.test/s/listed',
    session_token: 'st_1',
    features: [],
    expires_at: '2026-01-01T01:00:00Z',
    ...more,
  }) as Session

/** What `sessions.retrieve` returns of a session that the start created. */
const ofStart = { vendor_data: subject, workflow_id: 'wf_1', redirect_url: redirectUrl }

/** Starts after a lost start, with this list of sessions, of which `retrieve` returns more. */
async function takeOver(sessions: unknown, made = managed(), retrieved: object = ofStart) {
  await startAndCrash(made)
  made.passTime(leaseMs)
  const list = async () => sessions as Session[]
  const found = (id: string) => (sessions as Session[]).find((one) => one?.session_id === id)
  const retrieve = async (id: string) => ({ ...retrieved, ...found(id) }) as Session
  return made.manager({ client: clientWith(made.client(), { list, retrieve }) }).start(subject)
}

it.each([
  ['an open session', {}],
  ['a session that the person has opened', { status: 'IN_PROGRESS' }],
  ['a session whose expiry cannot be read', { expires_at: 'soon' }],
  ['a session that has its vendor_data', { vendor_data: subject }],
])('%s is adopted', async (_, more) => {
  expect(await takeOver([listed(more)])).toMatchObject({ state: 'open', sessionId: 'sess_listed' })
})

it.each([
  ['a session of another subject', { vendor_data: 'user-43' }],
  ['an expired session', { expires_at: '2026-01-01T00:00:30Z' }],
  ['a session in review', { status: 'IN_REVIEW' }],
  ['an approved session', { status: 'APPROVED' }],
  ['a session with a status that is not listed', { status: 'SUSPENDED' }],
  ['something that is not a session', undefined],
])('%s is not adopted', async (_, more) => {
  const verification = await takeOver([more && listed(more)])

  expect(verification.state).toBe('open')
  expect(verification.sessionId).not.toBe('sess_listed')
})

it.each([
  ['has no vendor_data', { vendor_data: undefined }],
  ['has the vendor_data of another person', { vendor_data: 'user-43' }],
  ['has another workflow', { workflow_id: 'wf_age_only' }],
  ['returns to another address', { redirect_url: 'https://app.example.test/other' }],
  ['returns to no address', { redirect_url: null }],
  ['is approved by now', { status: 'APPROVED' }],
])('a listed session that %s when it is retrieved is not adopted', async (_, retrieved) => {
  const made = managed()
  await startAndCrash(made)
  made.passTime(leaseMs)
  const client = clientWith(made.client(), {
    list: async () => [listed({})],
    retrieve: async () => ({ ...listed({}), ...ofStart, ...retrieved }) as Session,
  })

  expect((await made.manager({ client }).start(subject)).sessionId).not.toBe('sess_listed')
})

it('a session without a field that tells it apart is adopted if its person is named', async () => {
  expect(await takeOver([listed({})], managed(), { vendor_data: subject })).toMatchObject({
    state: 'open',
    sessionId: 'sess_listed',
  })
})

it('a session that does not run the checks in requires is not adopted', async () => {
  const made = managed({ requires: ['liveness'] })

  const verification = await takeOver([listed({ features: ['age'] })], made)

  expect(verification.sessionId).not.toBe('sess_listed')
})

it('of several open sessions, the one that expires last is adopted', async () => {
  const sessions = ['00:40', '00:50', '00:45'].map((time) =>
    listed({ session_id: `sess_${time}`, expires_at: `2026-01-01T${time}:00Z` }),
  )

  expect((await takeOver(sessions)).sessionId).toBe('sess_00:50')
})

it('a session that is in the record already is not adopted', async () => {
  const made = managed()
  const id = await made.started()
  await made.emulator.sessions.complete(id, 'DECLINED')
  await made.manager().refresh(subject)

  expect((await takeOver([listed({ session_id: id })], made)).sessionId).not.toBe(id)
})

it.each([
  ['is not a list', { sessions: [] }],
  ['has a session without an id', [listed({ session_id: undefined })]],
  ['has a session without an address', [listed({ url: null })]],
  ['has a session without an expiry', [listed({ expires_at: 7 })]],
])('a list that %s throws InvalidResponseError, because the session may be in it', async (_, sessions) => {
  const made = managed()

  await expect(takeOver(sessions, made)).rejects.toThrow(InvalidResponseError)

  expect(made.count('sessions.create')).toBe(0)
  expect((await made.manager().get(subject)).state).toBe('starting')
})

it.each(['session_id', 'url', 'expires_at'])(
  'a created session without %s throws InvalidResponseError, and leaves the state starting',
  async (field) => {
    const made = managed()
    const client = clientWith(made.client(), { create: async () => listed({ [field]: undefined }) })

    await expect(made.manager({ client }).start(subject)).rejects.toMatchObject({
      name: 'InvalidResponseError',
      message: `sessions.create: the result has no ${field}`,
    })

    expect((await made.manager().get(subject)).state).toBe('starting')
  },
)

it('a session that was created but could not be stored is found by the next start', async () => {
  const made = managed({ waitsTakeTime: true })
  const broken = storeWith(made.store, {
    compareAndSet: () => Promise.reject(new Error('the store is down')),
  })

  await expect(made.manager({ store: broken }).start(subject)).rejects.toThrow(StoreError)
  const verification = await made.manager().start(subject)

  expect(await openSessions(made)).toMatchObject([{ session_id: verification.sessionId }])
})

it('a session that arrives after another process took the start over is kept in the record, and changes nothing else', async () => {
  const made = managed()
  const real = made.client()
  let other: Session | undefined
  const slow = clientWith(real, {
    create: async (...call) => {
      made.passTime(leaseMs)
      await made.manager().start(subject)
      other = await real.sessions.create(...call)
      return other
    },
  })

  const verification = await made.manager({ client: slow }).start(subject)

  expect(verification).toEqual(await made.manager().get(subject))
  expect(verification.sessionId).not.toBe(other?.session_id)
  expect((await made.record()).sessions.map(({ id }: { id: string }) => id)).toEqual([
    verification.sessionId,
    other?.session_id,
  ])
  expect(made.transitions()).toEqual(['none > open'])
})

it('a person who is approved while a session is being created is approved, and the session is kept in the record', async () => {
  const made = managed()
  const id = await made.started()
  made.passTime(hourMs)
  const real = made.client()
  const slow = clientWith(real, {
    create: async (...call) => {
      expect(await made.manager({ client: approving(real) }).handle(eventFor(id))).toMatchObject({ to: 'approved' })
      return real.sessions.create(...call)
    },
  })

  const verification = await made.manager({ client: slow }).start(subject)

  expect(verification).toMatchObject({ state: 'approved', sessionId: id, attempts: 2 })
  expect(made.transitions()).toEqual(['none > open', 'open > ended', 'ended > approved'])
})

it('the requests of a start end within four fifths of its lease', async () => {
  const made = managed({ startLeaseMs: 10_000 })
  const real = made.client()
  const create = vi.fn((...call: Parameters<typeof real.sessions.create>) => real.sessions.create(...call))
  const client = clientWith(real, { create })

  await made.manager({ client }).start(subject, {}, { deadlineMs: 60_000, timeoutMs: 5_000, idempotencyKey: 'key-1' })

  const [, options] = create.mock.calls[0] ?? []
  expect(options).toEqual({ deadlineMs: 8_000, timeoutMs: 5_000, idempotencyKey: 'key-1' })
})

it('a create that outlasts its part of the lease is not sent again by the same start, because it may still be executed', async () => {
  const made = managed({ startLeaseMs: 10_000 })
  const requests: string[] = []
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    const { method, url } = new Request(input, init)
    requests.push(`${method} ${new URL(url).pathname}`)
    void made.clock.advance(8_000)
    return never()
  }

  await expect(made.manager({ client: made.client({ fetch }) }).start(subject)).rejects.toMatchObject({
    name: 'TimeoutError',
    operation: 'sessions.create',
    limit: 'deadlineMs',
    limitMs: 8_000,
    mayHaveArrived: true,
  })

  expect(requests).toEqual(['POST /api/v2/session'])
  expect((await made.manager().get(subject)).state).toBe('starting')
})

it('forget lets the next start create a session', async () => {
  const made = managed()
  const first = await made.manager().start(subject)

  expect(await made.manager().forget(subject)).toBe(true)
  expect(await made.manager().forget(subject)).toBe(false)
  expect(await made.manager().get(subject)).toMatchObject({ state: 'none', attempts: 0, updatedAt: null })

  made.passTime(dayMs)
  expect((await made.manager().start(subject)).sessionId).not.toBe(first.sessionId)
})

it('a signal that has aborted ends a refresh before it takes a start over', async () => {
  const { manager, store, record, operations } = managed()
  await busyElsewhere(store, 'start')
  const { start } = await record()
  await store.delete(runKey(start.run))

  const refresh = manager().refresh(subject, { signal: AbortSignal.abort() })

  await expect(refresh).rejects.toMatchObject({ name: 'AbortedError', operation: 'verifications.refresh' })
  expect((await record()).start).toEqual(start)
  expect(operations()).toEqual([])
})
