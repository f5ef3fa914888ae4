import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Session, VerificationManager, VerificationSessions } from '../../../src/index.ts'
import { clientWith, eventFor, managed, redirectUrl, subject } from './managed.ts'

const subjects = [subject, 'user-43'] as const
/** Two of each manager, because the sessions of managers with one workflow and address cannot be told apart. */
const workflowsOf = { a: ['wf_1', 'wf_2'], b: ['wf_4', 'wf_5'] } as const
const names = ['a', 'b'] as const
type Name = keyof typeof workflowsOf
const unfinished: readonly unknown[] = ['NOT_STARTED', 'IN_PROGRESS']
const outcomes = ['APPROVED', 'DECLINED', 'IN_REVIEW', 'EXPIRED', 'ABANDONED'] as const

/** Most commands are about one person and one manager, because only commands that meet have an effect on each other. */
const who = {
  name: fc.constantFrom<Name[]>('a', 'a', 'a', 'b'),
  subject: fc.constantFrom(subjects[0], subjects[0], subjects[0], subjects[1]),
}
/** Names one of the sessions that exist, in the order of their creation. */
const nth = fc.nat(4)

/** What an application, a person or the service does, and what another process does before a create returns. */
const simple = fc.oneof(
  fc.record({
    type: fc.constant('foreign' as const),
    ...who,
    // Only an address or a workflow of its own tells the session of an application apart.
    has: fc.constantFrom('another workflow' as const, 'another address' as const, 'no address' as const),
  }),
  fc.record({ type: fc.constant('complete' as const), nth, outcome: fc.constantFrom(...outcomes) }),
  fc.record({ type: fc.constant('webhook' as const), ...who, nth }),
  fc.record({ type: fc.constant('refresh' as const), ...who }),
  fc.record({ type: fc.constant('reconcile' as const), name: who.name }),
  fc.record({
    type: fc.constant('review' as const),
    ...who,
    nth,
    status: fc.constantFrom('APPROVED' as const, 'DECLINED' as const),
  }),
  fc.record({ type: fc.constant('forget' as const), ...who }),
  fc.record({ type: fc.constant('pass' as const), ms: fc.constantFrom(1_000, 31_000, 3_700_000) }),
)
type Simple = typeof simple extends fc.Arbitrary<infer T> ? T : never

const start = fc.record({
  type: fc.constant('start' as const),
  ...who,
  /** Which workflow of the manager this start asks for. */
  workflow: fc.constantFrom(0 as const, 0 as const, 1 as const),
  renews: fc.boolean(),
  /** How the create ends: as the service says, lost before or after it ran, or rejected. */
  create: fc.constantFrom('ends', 'ends', 'is lost before', 'is lost after', 'is rejected'),
  meanwhile: fc.option(fc.oneof(fc.constantFrom('a take-over' as const, 'a forget' as const), simple), {
    nil: undefined,
    freq: 2,
  }),
  isAborted: fc.boolean(),
})
type Start = typeof start extends fc.Arbitrary<infer T> ? T : never

/** The service, two managers with workflows of their own, and what an approval must be. */
async function world(omitsFields: boolean) {
  const workflows = [...Object.values(workflowsOf).flat(), 'wf_3'].map((id) => ({
    id,
    name: id,
    features: ['age'] as const,
  }))
  const made = managed({ emulator: { workflows }, limit: false, waitsTakeTime: true })
  const client = made.client()
  /** Who created each session, in order. */
  const created: { id: string; by: string; subject: string; workflow: unknown }[] = []
  /** Sessions that an approval may not come from, by manager and subject. */
  const excluded = new Map<string, Set<string>>()
  /** Sessions from before a person was forgotten, by manager and subject, until a start is taken over. */
  const forgotten = new Map<string, readonly string[]>()
  /** The workflow of the last start, by manager and subject, if it is certain. */
  const asked = new Map<string, string>()
  const keyOf = (name: string, of: string) => `${name} ${of}`
  const exclude = (key: string, ids: readonly string[]) =>
    excluded.set(key, new Set([...(excluded.get(key) ?? []), ...ids]))

  /** The sessions of a service that may omit what the contract does not promise. */
  const sessionsFor = (name: Name, command: Partial<Start> = {}): VerificationSessions => {
    const seen = ({ vendor_data, ...session }: Session): Session =>
      omitsFields ? session : { ...session, vendor_data }
    return clientWith(client, {
      create: async (params, options) => {
        const { create = 'ends' } = command
        if (create === 'is lost before') throw new Error('the connection broke')
        const rejected = create === 'is rejected'
        if (rejected) await meet(command)
        const given = rejected ? { ...params, workflow_id: 'wf_unknown' } : params
        const session = await client.sessions.create(given, options)
        const { vendor_data, workflow_id } = params ?? {}
        created.push({
          id: session.session_id,
          by: name,
          subject: String(vendor_data),
          workflow: workflow_id,
        })
        await meet(command)
        if (create === 'is lost after') throw new Error('the connection broke')
        return session
      },
      list: async (params, options) => {
        // A take-over may find a session that is not finished, because the service shows no difference to the lost one.
        forgotten.delete(keyOf(name, String(params?.vendor_data)))
        // A service or a cache in between may ignore the filter.
        return (await client.sessions.list(omitsFields ? {} : params, options)).map(seen)
      },
      retrieve: async (id, options) => seen(await client.sessions.retrieve(id, options)),
    }).sessions
  }
  const manager = (name: Name, command?: Start): VerificationManager =>
    made.manager({
      name,
      client: { sessions: sessionsFor(name, command) },
      session: { workflow_id: workflowsOf[name][0], redirect_url: redirectUrl },
    })
  const idOf = (n: number) => created[n % Math.max(1, created.length)]?.id ?? 'sess_unknown'
  const statuses = async () =>
    Object.fromEntries((await client.sessions.list()).map(({ session_id, status }) => [session_id, status]))

  /** Runs a command, whose failure is one that an application would handle. */
  const run = (command: Simple | Start): Promise<unknown> => effectOf(command).catch(rethrowAssertion)

  async function effectOf(command: Simple | Start): Promise<unknown> {
    switch (command.type) {
      case 'start':
        return startBy(command)
      case 'foreign': {
        const { name, subject: vendor_data, has } = command
        const addresses = {
          'another workflow': redirectUrl,
          'another address': 'https://app.example.test/shop',
        }
        const redirect_url = has === 'no address' ? undefined : addresses[has]
        const workflow_id = has === 'another workflow' ? 'wf_3' : workflowsOf[name][0]
        const session = await client.sessions.create({ workflow_id, redirect_url, vendor_data })
        return created.push({
          id: session.session_id,
          by: 'application',
          subject: vendor_data,
          workflow: workflow_id,
        })
      }
      case 'complete':
        return made.emulator.sessions.complete(idOf(command.nth), command.outcome)
      case 'webhook': {
        const event = eventFor(idOf(command.nth), { vendor_data: command.subject })
        return manager(command.name).handle(event)
      }
      case 'refresh':
        return manager(command.name).refresh(command.subject)
      case 'reconcile':
        return manager(command.name).reconcile({ olderThanMs: 0 })
      case 'review': {
        const { name, subject: of, nth: n, status } = command
        const params = { sessionId: idOf(n), status, by: 'agent-7', reason: 'The photo was altered' }
        const before = await statuses()
        await manager(name)
          .review(of, params)
          .catch(() => {})
        const changed = Object.entries(await statuses()).filter(([id, now]) => before[id] !== now)
        return expect(changed.filter(([id]) => id !== params.sessionId)).toEqual([])
      }
      case 'forget': {
        const key = keyOf(command.name, command.subject)
        asked.delete(key)
        await manager(command.name).forget(command.subject)
        forgotten.set(
          key,
          created.map(({ id }) => id),
        )
        const ended = Object.entries(await statuses()).filter(([, status]) => !unfinished.includes(status))
        return exclude(
          key,
          ended.map(([id]) => id),
        )
      }
      case 'pass':
        return made.clock.advance(command.ms)
    }
  }

  /** What happens before a create returns. */
  async function meet({ meanwhile, name, subject: of }: Partial<Start>): Promise<void> {
    if (meanwhile === 'a take-over' && name && of) {
      await made.clock.advance(31_000)
      await manager(name)
        .start(of)
        .catch(() => {})
    } else if (meanwhile === 'a forget' && name && of) {
      await run({ type: 'forget', name, subject: of })
    } else if (typeof meanwhile === 'object') {
      await run(meanwhile)
    }
  }

  async function startBy(command: Start): Promise<void> {
    const { name, subject: of, workflow: nth, renews, isAborted } = command
    const workflow = workflowsOf[name][nth]
    const key = keyOf(name, of)
    const before = await manager(name).get(of)
    const older = created.map(({ id }) => id)
    const controller = new AbortController()
    const options = { renew: renews ? 'always' : 'never', signal: controller.signal } as const
    asked.delete(key)
    const started = manager(name, command).start(of, { workflow_id: workflow }, options).catch(rethrowAssertion)
    if (isAborted) controller.abort()
    const returned = await started
    if (returned && command.meanwhile === undefined) asked.set(key, workflow)
    const { state, sessionId } = await manager(name).get(of)
    if (asked.has(key)) expect(created.find(({ id }) => id === sessionId)).toMatchObject({ workflow })
    // A renewal has begun, so no session from before it counts. One that created no session may be undone, and one
    // whose session cannot be recognized, because the service omits whose it is.
    const isRenewed = created.slice(older.length).some(({ by, subject }) => by === name && subject === of)
    const isCertain = returned !== undefined || !omitsFields
    if (isRenewed && isCertain && before.state === 'approved' && state !== 'approved' && state !== 'none')
      exclude(key, older)
  }

  /**
   * A state belongs to a session of that manager and person. No state is `approved` without an approved one of the
   * workflow of the last start. It is from after the last renewal, and it had not ended when the person was last
   * forgotten.
   */
  async function check(): Promise<void> {
    const now = await statuses()
    for (const name of names) {
      for (const of of subjects) {
        const { state, sessionId } = await manager(name).get(of)
        if (sessionId === null) continue
        const session = created.find(({ id }) => id === sessionId)
        expect(session).toMatchObject({ by: name, subject: of })
        if (state !== 'approved') continue
        expect(now[sessionId]).toBe('APPROVED')
        expect([...(excluded.get(keyOf(name, of)) ?? [])]).not.toContain(sessionId)
        expect(forgotten.get(keyOf(name, of)) ?? []).not.toContain(sessionId)
        expect(session?.workflow).toBe(asked.get(keyOf(name, of)) ?? session?.workflow)
      }
    }
  }

  return { run, check }
}

const one = { name: 'a', subject } as const
/** A person with a session that came too late, an approval, and a renewal that was declined. */
const declinedRenewal: readonly (Simple | Start)[] = [
  {
    type: 'start',
    ...one,
    renews: false,
    workflow: 0,
    create: 'ends',
    meanwhile: 'a take-over',
    isAborted: false,
  },
  { type: 'complete', nth: 1, outcome: 'APPROVED' },
  { type: 'refresh', ...one },
  {
    type: 'start',
    ...one,
    renews: true,
    workflow: 0,
    create: 'ends',
    meanwhile: undefined,
    isAborted: false,
  },
  { type: 'complete', nth: 2, outcome: 'DECLINED' },
  { type: 'refresh', ...one },
]
/** Then the session that came too late is approved. */
const lateApproval: readonly (Simple | Start)[] = [
  ...declinedRenewal,
  { type: 'complete', nth: 0, outcome: 'APPROVED' },
  { type: 'webhook', ...one, nth: 0 },
]

/** An error of the package is one that an application handles. */
function rethrowAssertion(thrown: unknown): undefined {
  if (thrown instanceof Error && thrown.name === 'AssertionError') throw thrown
}

/** More at night. */
const numRuns = process.env.WHOLE ? 2_000 : 30

it('whatever happens in any order, only an approved session of a manager approves a person', async () => {
  const anything = fc.array(fc.oneof(start, start, simple), { maxLength: 20, size: 'max' })
  const commands = fc.oneof(
    anything,
    anything.map((list) => [...declinedRenewal, ...list]),
    anything.map((list) => [...lateApproval, ...list]),
  )
  const property = fc.asyncProperty(commands, fc.boolean(), async (list, omitsFields) => {
    const { run, check } = await world(omitsFields)
    for (const command of list) {
      await run(command)
      await check()
    }
  })
  await fc.assert(property, { numRuns })
}, 600_000)
