import {
  ConflictError,
  ConnectionError,
  createVerificationManager,
  TimeoutError,
  type VerificationChange,
  type VerificationManager,
  type VerificationSessions,
  type WebhookEvent,
} from '../../../src/index.ts'
import { timing } from '../../../src/runtime/timing.ts'
import type { SignalContext } from '../../../src/stores/exclusive.ts'
import type { VerificationRecord } from '../../../src/verification/manager/record.ts'
import { isoAt } from '../client.ts'
import type { Protocol } from '../protocol.ts'
import { exchange, transportFaults } from '../request.ts'
import { StoreData, simulatedStore } from '../store.ts'
import type { Fault, Process, World } from '../world.ts'

const leaseMs = 3_000
const operationTimeoutMs = 300
/** Longer than the lease, so that a lease that is not renewed ends while `onChange` runs. */
const onChangeMs = 3_500
const subject = 'user'
const recordKey = `verification:default:${subject}`
const dayMs = 86_400_000

const faults: readonly Fault[] = ['crash', 'pause', ...transportFaults]

/** A session of the service. */
interface ServiceSession {
  readonly id: string
  status: 'NOT_STARTED' | 'IN_REVIEW' | 'COMPLETED'
  decision: 'APPROVED' | 'DECLINED' | null
  /** The process whose verdict it is. */
  decidedBy?: string
}

/** A call of `onChange`. */
interface Call {
  readonly process: Process
  readonly signal: AbortSignal
  readonly change: string
  readonly faultsBefore: number
  state: 'runs' | 'done' | 'failed'
}

const isUnfinished = ({ status }: ServiceSession) => status === 'NOT_STARTED'

/** The service, the store, the managers of all processes, and what must always hold for the record of one person. */
class Verified {
  readonly world: World
  readonly data: StoreData
  readonly sessions: ServiceSession[] = []
  readonly calls: Call[] = []
  readonly done = new Set<string>()
  /** The records that were deleted. */
  readonly deleted = new Set<string>()
  isForgotten = false

  constructor(world: World) {
    this.world = world
    this.data = new StoreData(world)
    this.data.show = showRecord
    this.data.onWrite.push(({ key, before, after }) => {
      if (key === recordKey && world.steps > 0) this.#check(recordOf(before), recordOf(after))
    })
  }

  manager(process: Process): VerificationManager {
    const options = {
      client: { sessions: this.#sessionsOf(process) },
      store: { ...simulatedStore(this.data, process), operationTimeoutMs },
      session: {},
      limit: false as const,
      startLeaseMs: leaseMs,
      onChange: (change: VerificationChange, context: SignalContext) => this.#onChange(process, change, context),
      [timing]: process.timing,
    }
    return createVerificationManager(options)
  }

  /** Writes the record of a person with an open session. */
  open(): void {
    const at = isoAt(0)
    const session = {
      id: 'sess_0',
      state: 'open',
      url: 'https://id.example.test/s/0',
      expiresAt: isoAt(dayMs),
    }
    const record = {
      version: 1,
      id: 'run_0',
      sessions: [{ ...session, createdAt: at, decidedAt: null, checks: [], workflow: null, superseded: false }],
      current: session.id,
      start: null,
      history: [],
      changes: [],
      delivery: null,
      updatedAt: at,
    }
    this.sessions.push({ id: session.id, status: 'IN_REVIEW', decision: null })
    this.data.place(recordKey, undefined, { list: 'verification:default:open', at: 0 })
    this.data.write(this.world.outsider('start'), recordKey, JSON.stringify(record))
  }

  /** Runs a call until it succeeds. */
  async until<T>(process: Process, name: string, call: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const result = await call()
        this.world.note(process, `${name} ends`)
        return result
      } catch (error) {
        this.world.note(process, `${name} fails: ${(error as Error).message.slice(0, 80)}`)
        await process.timing.sleep(5_000, undefined)
      }
    }
  }

  /** Whether faults explain that another process has taken over. */
  mayHaveLost({ process, faultsBefore, state }: Call): boolean {
    const since = process.suffered.slice(faultsBefore)
    return state === 'failed' || !process.isAlive || since.some(({ fault }) => fault === 'pause') || since.length >= 3
  }

  state(): string {
    const calls = this.calls.map(
      ({ process, change, state, faultsBefore }) =>
        `${process.name} ${change} ${state} ${process.suffered
          .slice(faultsBefore)
          .map(({ fault }) => fault)
          .join()}`,
    )
    return `${[...this.deleted].join()} ${this.data.state()} ${JSON.stringify(this.sessions)} ${calls.join()} ${[...this.done].join()} ${this.isForgotten}`
  }

  /** Checks what must hold in the end: nothing waits for anyone. */
  atEnd(expected: VerificationRecord['sessions'][number]['state'] | undefined): void {
    const record = recordOf(this.data.read(recordKey))
    const state = record?.sessions.find(({ id }) => id === record.current)?.state
    if (state !== expected || record?.start)
      this.world.violate(`the record ends as ${state ?? 'none'}, not as ${expected}`)
    if (record && record.changes.length > 0) this.world.violate('a change was never delivered')
    for (const { name } of this.world.roles) if (!this.done.has(name)) this.world.violate(`${name} has not ended`)
  }

  async #onChange(process: Process, { from, to }: VerificationChange, { signal }: SignalContext): Promise<void> {
    const change = `${from} > ${to}`
    if (this.isForgotten) this.world.violate(`onChange begins for ${change} after forget`)
    for (const other of this.calls) {
      if (other.state === 'runs' && !this.mayHaveLost(other))
        this.world.violate(`onChange runs in ${other.process.name} and ${process.name} at once`)
      if (other.state === 'done' && other.change === change && !this.mayHaveLost(other))
        this.world.violate(`onChange runs again for ${change}, although no lease was lost`)
    }
    const call: Call = { process, signal, change, faultsBefore: process.suffered.length, state: 'runs' }
    this.calls.push(call)
    this.world.note(process, `onChange begins: ${change}`)
    await process.timing.sleep(onChangeMs, signal)
    call.state = signal.aborted ? 'failed' : 'done'
    this.world.note(process, `onChange ends: ${change}${signal.aborted ? ', its signal has aborted' : ''}`)
    signal.throwIfAborted()
  }

  /** Checks each write of the record. */
  #check(before: VerificationRecord | undefined, after: VerificationRecord | undefined): void {
    const { world } = this
    if (this.isForgotten && after) world.violate('the record comes back after forget')
    if (before?.id && !after) this.deleted.add(before.id)
    if (after?.id && this.deleted.has(after.id)) world.violate('a record comes back after it was deleted')
    if (after && stateIn(before) === 'approved' && stateIn(after) !== 'approved')
      world.violate(`an approval is downgraded to ${stateIn(after)}`)
    const isChanged = after && stateIn(before) !== stateIn(after)
    if (isChanged && !after.changes.some(({ to }) => to === stateIn(after)))
      world.violate(`the change to ${stateIn(after)} is not recorded`)
    const removed = before?.changes.filter(({ id }) => after && !after.changes.some((one) => one.id === id)) ?? []
    for (const { from, to } of removed)
      if (!this.calls.some(({ change, state }) => change === `${from} > ${to}` && state === 'done'))
        world.violate(`the change ${from} > ${to} was removed, and onChange has not run to its end`)
    const lists = this.data.listsOf(recordKey).map((list) => list.slice('verification:default:'.length))
    const expected = listIn(after)
    if (lists.join() !== expected) world.violate(`the person is in the list ${lists.join()}, not in ${expected}`)
  }

  #sessionsOf(process: Process): VerificationSessions {
    const { world, sessions } = this
    const call = <Result>(label: string, serve: () => Result, deadlineMs = 60_000): Promise<Result> =>
      new Promise((resolve, reject) => {
        const expire = () =>
          reject(new TimeoutError({ operation: 'sessions', limit: 'deadlineMs', limitMs: deadlineMs }))
        const cancel = process.timing.timer(expire, deadlineMs)
        exchange(process, {
          label,
          serve,
          lateMs: leaseMs,
          show: (result) =>
            String(JSON.stringify(result)).replace(/"(?:url|session_token|features|expires_at)":[^,}]*,?/g, ''),
          error: (part) => new ConnectionError({ message: 'no connection', mayHaveArrived: part === 'response' }),
        })
          .then(resolve, reject)
          .finally(cancel)
      })
    const shown = ({ id, status }: ServiceSession) => ({
      session_id: id,
      url: `https://id.example.test/s/${id}`,
      session_token: 'token',
      features: [],
      expires_at: isoAt(dayMs),
      status,
      vendor_data: subject,
    })
    const find = (id: string) => sessions.find((one) => one.id === id) as ServiceSession
    const fakes = {
      create: (_: unknown, options: { deadlineMs?: number } = {}) =>
        call(
          'create a session',
          () => {
            const session: ServiceSession = {
              id: `sess_${sessions.length + 1}`,
              status: 'NOT_STARTED',
              decision: null,
            }
            sessions.push(session)
            // Nothing can prevent that a request which arrives after everyone has given it up creates a session.
            const isLate = world.happened.some(({ fault, of }) => fault === 'late request' && of.includes('create'))
            if (sessions.filter(isUnfinished).length > 1 && !isLate) world.violate('a person has two open sessions')
            return shown(session)
          },
          options.deadlineMs,
        ),
      list: (_: unknown, options: { deadlineMs?: number } = {}) =>
        call('list the sessions', () => sessions.map(shown), options.deadlineMs),
      retrieve: (id: string, options: { deadlineMs?: number } = {}) =>
        call(`retrieve ${id}`, () => shown(find(id)), options.deadlineMs),
      decision: (id: string, options: { deadlineMs?: number } = {}) =>
        call(
          `read the decision of ${id}`,
          () => {
            const { status, decision } = find(id)
            return { status, decision, decided_at: decision ? isoAt(0) : null, checks: [] }
          },
          options.deadlineMs,
        ),
      updateStatus: (id: string) =>
        call(`decline ${id}`, () => {
          const session = find(id)
          if (session.decision !== null) return undefined
          Object.assign(session, { status: 'COMPLETED', decision: 'DECLINED', decidedBy: process.name })
          return shown(session)
        }).then((session) => {
          if (session) return session
          throw new ConflictError({ code: 'already_decided', message: 'decided' })
        }),
    }
    return fakes as unknown as VerificationSessions
  }
}

const recordOf = (text: string | null): VerificationRecord | undefined =>
  text === null ? undefined : (JSON.parse(text) as VerificationRecord)

/** The state that was last reported: a start is reported when it ends. */
const stateIn = (record: VerificationRecord | undefined) =>
  record?.start?.from ?? record?.sessions.find(({ id }) => id === record.current)?.state ?? 'none'

/** The list that a record must be in. */
function listIn(record: VerificationRecord | undefined): string {
  if (record === undefined) return ''
  const state = record.start ? 'starting' : stateIn(record)
  const parts = ['starting', 'open', 'in_review'].includes(state) ? [state as string] : []
  if (record.changes.length > 0) parts.push('undelivered')
  return parts.join(':')
}

function showRecord(text: string): string {
  if (!text.startsWith('{')) return text
  const record = JSON.parse(text) as VerificationRecord
  const changes = record.changes.map(({ from, to }) => `${from} > ${to}`).join()
  const parts = [
    record.start ? `starting by ${record.start.run}` : stateIn(record),
    changes && `to deliver: ${changes}`,
    record.delivery && `by ${record.delivery}`,
  ]
  return `{${parts.filter(Boolean).join(', ')}}`
}

const eventOf = (status: 'IN_REVIEW' | 'APPROVED'): WebhookEvent =>
  ({
    event_id: `evt_${status}`,
    type: `verification.${status.toLowerCase()}`,
    session_id: 'sess_0',
    status,
    vendor_data: subject,
  }) as WebhookEvent

const shared = { faults, pauseMs: leaseMs + 1_000, lateMs: operationTimeoutMs + 200 }

/** Concurrent starts for one person. */
export const starts: Protocol = {
  name: 'starts',
  ...shared,
  begin(world, { processes }) {
    const verified = new Verified(world)
    for (let i = 1; i <= processes; i++)
      world.start(`p${i}`, async (process) => {
        const manager = verified.manager(process)
        const { state } = await verified.until(process, 'start', () => manager.start(subject))
        if (state !== 'open') world.violate(`start returns a person who is ${state}`)
        await verified.until(process, 'reconcile', () => reconciled(manager))
        verified.done.add(`p${i}`)
      })
    return { state: () => verified.state(), atEnd: () => verified.atEnd('open') }
  },
}

/** Events of one session that come to several processes, in any order. */
export const outcomes: Protocol = {
  name: 'outcomes',
  ...shared,
  begin(world, { processes }) {
    const verified = new Verified(world)
    verified.open()
    const reviewer = world.outsider('reviewer')
    let approve = () => {}
    const approved = new Promise<void>((resolve) => {
      approve = resolve
    })
    world.hold(reviewer, 'outside', 'approves the session', () => {
      for (const session of verified.sessions) Object.assign(session, { status: 'COMPLETED', decision: 'APPROVED' })
      approve()
    })
    for (let i = 1; i <= processes; i++)
      world.start(`p${i}`, async (process) => {
        const manager = verified.manager(process)
        const event = eventOf(i % 2 === 0 ? 'APPROVED' : 'IN_REVIEW')
        if (event.status === 'APPROVED') await approved
        await verified.until(process, `handle ${event.event_id}`, () => manager.handle(event))
        await verified.until(process, 'reconcile', () => reconciled(manager))
        verified.done.add(`p${i}`)
      })
    return { state: () => verified.state(), atEnd: () => verified.atEnd('approved') }
  },
}

/** Reviewers who decline a session at the same time. */
export const reviews: Protocol = {
  name: 'reviews',
  ...shared,
  begin(world, { processes }) {
    const verified = new Verified(world)
    verified.open()
    for (let i = 1; i <= processes; i++)
      world.start(`p${i}`, async (process) => {
        const manager = verified.manager(process)
        const params = { sessionId: 'sess_0', status: 'DECLINED', by: process.name, reason: 'altered' } as const
        await verified.until(process, 'review', () =>
          manager.review(subject, params).catch((error: { code?: string }) => {
            if (error.code !== 'already_decided') throw error
          }),
        )
        await verified.until(process, 'reconcile', () => reconciled(manager))
        verified.done.add(`p${i}`)
      })
    const atEnd = () => {
      verified.atEnd('declined')
      const { by } = recordOf(verified.data.read(recordKey))?.history.find(({ state }) => state === 'declined') ?? {}
      const [session] = verified.sessions
      // If several verdicts may be the one, nobody is named.
      if (by === undefined ? world.happened.length === 0 : by !== session?.decidedBy)
        world.violate(`the record says that ${by ?? 'nobody'} decided, not ${session?.decidedBy}`)
    }
    return { state: () => verified.state(), atEnd }
  },
}

/** A person who is forgotten while an event is handled. */
export const forgets: Protocol = {
  name: 'forgets',
  ...shared,
  begin(world) {
    const verified = new Verified(world)
    verified.open()
    for (const session of verified.sessions) Object.assign(session, { status: 'COMPLETED', decision: 'APPROVED' })
    world.start('p1', async (process) => {
      const manager = verified.manager(process)
      await verified.until(process, 'handle', () => manager.handle(eventOf('APPROVED')))
      verified.done.add('p1')
    })
    world.start('p2', async (process) => {
      const manager = verified.manager(process)
      await verified.until(process, 'forget', () => manager.forget(subject))
      for (const call of verified.calls)
        if (call.state === 'runs' && !verified.mayHaveLost(call))
          world.violate('forget has not waited for a call of onChange')
      verified.isForgotten = true
      verified.done.add('p2')
    })
    return { state: () => verified.state(), atEnd: () => verified.atEnd(undefined) }
  },
}

/** A person who is forgotten while a start that creates the record is in progress. */
export const forgottenStarts: Protocol = {
  name: 'forgotten starts',
  ...shared,
  // A request that arrives after everyone has given it up is executed after any deletion, and a process that begins
  // again starts anew.
  faults: faults.filter((fault) => fault !== 'late request' && fault !== 'crash'),
  begin(world) {
    const verified = new Verified(world)
    world.start('p1', async (process) => {
      // Once, because another start may create another record.
      await verified
        .manager(process)
        .start(subject)
        .catch(() => {})
      verified.done.add('p1')
    })
    world.start('p2', async (process) => {
      const manager = verified.manager(process)
      await verified.until(process, 'forget', () => manager.forget(subject))
      verified.done.add('p2')
    })
    return { state: () => verified.state(), atEnd: () => {} }
  },
}

/** @throws if a person could not be visited */
async function reconciled(manager: VerificationManager): Promise<void> {
  for await (const item of manager.reconcile({ olderThanMs: 0 })) if (item.outcome === 'failed') throw item.error
}
