import { expect, it } from 'vitest'
import {
  ConfigurationError,
  createVerificationManager,
  memoryStore,
  type VerificationManagerOptions,
} from '../../../src/index.ts'
import { clientWith, managed, recordKey, subject } from './managed.ts'

const valid = () => ({ client: managed().client(), store: memoryStore(), session: { workflow_id: 'wf_1' } })

it.each([
  ['client', /^createVerificationManager: client is missing: pass a VerificationClient$/],
  ['store', /^createVerificationManager: store is missing: pass a Store/],
  ['session', /^createVerificationManager: session is missing: pass the params/],
])('names %s if it is missing', (name, message) => {
  const options = { ...valid(), [name]: undefined } as unknown as VerificationManagerOptions

  expect(() => createVerificationManager(options)).toThrow(ConfigurationError)
  expect(() => createVerificationManager(options)).toThrow(message)
})

it.each([
  ['client.sessions', { client: {} }],
  ['client.sessions', { client: { sessions: { create: async () => {} } } }],
  ['store', { store: { get: async () => null } }],
  ['session', { session: 'wf_1' }],
  ['limit', { limit: 3 }],
  ['limit.sessions', { limit: { sessions: 0, perMs: 1 } }],
  ['limit.perMs', { limit: { sessions: 1, perMs: 1.5 } }],
  ['perDay', { limit: { sessions: 1, perDay: 1 } }],
  ['startLeaseMs', { startLeaseMs: 0 }],
  ['startLeaseMs', { startLeaseMs: 3_600_001 }],
  ['onChange', { onChange: 'log' }],
  ['now', { now: new Date() }],
  ['logger', { logger: { warn() {} } }],
  ['onchange', { onchange: () => {} }],
])('an invalid %s throws ConfigurationError that names it', (name, more) => {
  const options = { ...valid(), ...more } as unknown as VerificationManagerOptions

  expect(() => createVerificationManager(options)).toThrow(ConfigurationError)
  expect(() => createVerificationManager(options)).toThrow(name)
})

it.each([
  [{ workflowId: 'wf_1' }, /session\.workflowId is not a param\. Did you mean workflow_id\? Those that exist/],
  [{ workflow_id: 42 }, 'session.workflow_id must be a string'],
  [{ callback: 'http://127.0.0.1:undefined/webhooks' }, 'session.callback must be an absolute URL'],
  [['wf_1'], 'session must be an object or a function, not an array'],
])('session params that no start could send are rejected when the manager is created: %j', (session, message) => {
  expect(() => createVerificationManager({ ...valid(), session: session as never })).toThrow(
    expect.objectContaining({ name: 'ConfigurationError', message: expect.stringMatching(message) }),
  )
})

it.each([
  [undefined, 'undefined'],
  ['wf_1', 'a string'],
])(
  'a session function that returns %j throws ConfigurationError at the start, and no session is created',
  async (returned, kind) => {
    const made = managed()
    const verifications = createVerificationManager({
      ...valid(),
      client: made.client(),
      session: (() => returned) as never,
    })

    await expect(verifications.start('user_1')).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: `createVerificationManager: session must return an object, not ${kind}`,
    })
  },
)

it('a now that returns no date throws ConfigurationError', async () => {
  const verifications = createVerificationManager({ ...valid(), now: () => new Date(Number.NaN) })

  await expect(verifications.get(subject)).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: 'createVerificationManager: now must return a Date',
  })
})

it('works with the real clock, and with any client that has the methods', async () => {
  const { client } = managed()
  const verifications = createVerificationManager({ ...valid(), client: clientWith(client(), {}) })

  expect(await verifications.start(subject)).toMatchObject({ state: expect.any(String), attempts: 1 })
})

it('a logger that throws changes nothing', async () => {
  const { manager, client, emulator } = managed()
  const fail = () => {
    throw new Error('the log is full')
  }
  const logger = { debug: fail, info: fail, warn: fail, error: fail }
  emulator.faults.add({ match: 'sessions.create', status: 503 })

  await expect(manager({ client: client({ logger }) }).start(subject)).rejects.toMatchObject({
    name: 'ServerError',
  })
  expect((await manager({ client: client({ logger }) }).start(subject)).state).toBe('open')
})

it.each(['', undefined, 42, '\ud800'])('the subject %j throws InvalidParamsError', async (given) => {
  const verifications = managed().manager()
  const who = given as string
  const calls = [
    verifications.start(who),
    verifications.get(who),
    verifications.refresh(who),
    verifications.ensureApproved(who),
    verifications.review(who, { sessionId: 'sess_1', status: 'DECLINED', by: 'a', reason: 'b' }),
    verifications.forget(who),
  ]

  for (const call of calls)
    await expect(call).rejects.toMatchObject({ name: 'InvalidParamsError', issues: [{ path: 'subject' }] })
})

const note = { sessionId: 'sess_1', status: 'APPROVED', by: 'agent-7', reason: 'The photo was altered' }

it.each<[method: string, path: string, given: unknown[]]>([
  ['start', 'params', ['wf_1']],
  ['start', 'params', [null]],
  ['start', 'renew', [{}, { renew: true }]],
  ['start', 'renew', [{}, { renew: 'sometimes' }]],
  ['start', 'renew', [{}, { renew: null }]],
  ['start', 'renew', [{}, { renew: {} }]],
  ['start', 'renew', [{}, { renew: { olderThanMs: -1 } }]],
  ['start', 'timeoutMs', [{}, { timeoutMs: 0 }]],
  ['start', 'deadlineMs', [{}, { deadlineMs: '7' }]],
  ['start', 'idempotencyKey', [{}, { idempotencyKey: '' }]],
  ['start', 'renewal', [{}, { renewal: 'always' }]],
  ['review', 'status', [{ ...note, status: 'IN_REVIEW' }]],
  ['review', 'by', [{ ...note, by: undefined }]],
  ['review', 'by', [{ ...note, by: ' ' }]],
  ['review', 'reason', [{ ...note, reason: undefined }]],
  ['review', 'reason', [{ ...note, reason: 7 }]],
  ['review', 'sessionId', [{ ...note, sessionId: undefined }]],
  ['review', 'note', [{ ...note, note: 'x' }]],
  ['review', 'params', [undefined]],
  ['review', 'timeoutMS', [note, { timeoutMS: 1 }]],
  ['refresh', 'timeoutMS', [{ timeoutMS: 1 }]],
  ['ensureApproved', 'maxAgeMs', [{ maxAgeMs: -1 }]],
  ['ensureApproved', 'maxAgeMs', [{ maxAgeMs: '7' }]],
  ['ensureApproved', 'checks', [{ checks: 'liveness' }]],
  ['ensureApproved', 'maxAge', [{ maxAge: 7 }]],
  ['reconcile', 'olderThanMs', [{ olderThanMs: -1 }]],
  ['reconcile', 'olderThanMs', [{ olderThanMs: Number.NaN }]],
  ['reconcile', 'concurrency', [{ concurrency: 0 }]],
  ['reconcile', 'concurrency', [{ concurrency: 1.5 }]],
  ['reconcile', 'subjects', [{ subjects: 'user-42' }]],
  ['reconcile', 'subjects', [{ subjects: 42 }]],
  ['reconcile', 'olderThan', [{ olderThan: 7 }]],
])('%s throws InvalidParamsError for an invalid %s, before anything is stored or sent', async (method, path, given) => {
  const { manager, operations, store } = managed()
  const verifications = manager() as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  const args = method === 'reconcile' ? given : [subject, ...given]

  await expect(verifications[method]?.(...args)).rejects.toMatchObject({
    name: 'InvalidParamsError',
    issues: [{ path }],
  })
  expect([await store.get(recordKey), operations()]).toEqual([null, []])
})
