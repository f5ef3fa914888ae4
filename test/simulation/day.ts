import {
  ConnectionError,
  createTokenManager,
  createVerificationManager,
  type TokenSet,
  type VerificationManagerOptions,
} from '../../src/index.ts'
import { timing } from '../../src/runtime/timing.ts'
import { createEventProcessor } from '../../src/webhooks.ts'
import { memoryInUse } from '../support/memory.ts'
import { clientOf, isoAt, loadClient } from './client.ts'
import { exchange } from './request.ts'
import { StoreData, simulatedStore } from './store.ts'
import { epoch, type Process, World } from './world.ts'

const hours = 24
const minuteMs = 60_000
const people = 20
const sessionTtlMs = 3_600_000

/** What is left after a day. */
interface Day {
  readonly steps: number
  readonly sessions: number
  readonly events: number
  readonly refreshes: number
  readonly charges: number
  readonly failures: number
  readonly problems: readonly string[]
  /** Timers and requests that nothing has ended. */
  readonly pendingAtEnd: number
  readonly openRequests: number
  readonly heapGrowth: number
  readonly keys: number
}

/**
 * Runs three processes of a backend for a day. Each minute, each of them starts a verification, handles an event, needs
 * an access token and sends a billed call. Each hour, one process cannot reach the store for two minutes, and one
 * crashes.
 */
export async function runDay(): Promise<Day> {
  await loadClient()
  Object.defineProperty(crypto, 'randomUUID', { value: () => world.nextId(), configurable: true })
  const world = new World({
    faults: [],
    maxFaults: 0,
    pauseMs: 0,
    lateMs: 0,
    maxSteps: Number.POSITIVE_INFINITY,
    reduces: false,
    turns: 2,
    records: false,
  })
  const data = new StoreData(world)
  const problems: string[] = []
  const count = { sessions: 0, events: 0, refreshes: 0, failures: 0, openRequests: 0 }
  const charged = new Set<string>()
  const spent = new Set<string>()
  const callbacks = new Map<string, number>()
  const sessions = new Map<string, { id: string; subject: string; decision: 'APPROVED' | null }>()
  let tokens = 0

  const issue = (): TokenSet => {
    const n = ++tokens
    const kept = {
      access_token: `access_${n}`,
      refresh_token: `refresh_${n}`,
      token_type: 'Bearer',
      scope: '',
    }
    return { ...kept, expires_in: 900, expiresAtSeconds: (epoch + world.now) / 1000 + 900 }
  }
  const request = async <Result>(process: Process, label: string, serve: () => Result): Promise<Result> => {
    count.openRequests++
    try {
      return await exchange(process, {
        label,
        serve,
        error: () => new ConnectionError({ message: 'no connection' }),
      })
    } finally {
      count.openRequests--
    }
  }
  const shown = ({ id, subject, decision }: { id: string; subject: string; decision: string | null }) => ({
    session_id: id,
    url: `https://id.example.test/s/${id}`,
    expires_at: isoAt(world.now + sessionTtlMs),
    status: decision ? 'COMPLETED' : 'NOT_STARTED',
    vendor_data: subject,
  })
  const sessionsOf = (process: Process) => ({
    create: ({ vendor_data = '' }: { vendor_data?: string }) =>
      request(process, 'create', () => {
        const session = { id: `sess_${++count.sessions}`, subject: vendor_data, decision: null }
        const isOpen = [...sessions.values()].some((one) => one.subject === vendor_data && one.decision === null)
        if (isOpen) problems.push(`two open sessions of ${vendor_data}`)
        sessions.set(session.id, session)
        return shown(session)
      }),
    list: ({ vendor_data = '' }: { vendor_data?: string }) =>
      request(process, 'list', () =>
        [...sessions.values()].filter(({ subject }) => subject === vendor_data).map(shown),
      ),
    retrieve: (id: string) => request(process, 'retrieve', () => shown(sessions.get(id) as never)),
    decision: (id: string) =>
      request(process, 'decision', () => {
        const { decision = null } = sessions.get(id) ?? {}
        return { status: 'COMPLETED', decision, decided_at: decision && isoAt(world.now), checks: [] }
      }),
    updateStatus: () => Promise.reject(new Error('not simulated')),
  })

  const main = async (process: Process, index: number) => {
    const store = simulatedStore(data, process)
    const managerOptions = {
      client: { sessions: sessionsOf(process) },
      store,
      session: {},
      limit: false,
      onChange: () => process.timing.sleep(200, undefined),
      [timing]: process.timing,
    } as unknown as VerificationManagerOptions & { store: typeof store }
    const manager = createVerificationManager(managerOptions)
    const processorOptions = {
      store,
      consumers: [manager],
      on: {
        'verification.approved': ({ event_id }: { event_id: string }) => {
          callbacks.set(event_id, (callbacks.get(event_id) ?? 0) + 1)
          return process.timing.sleep(300, undefined)
        },
      },
      onError: () => {},
      [timing]: process.timing,
    }
    const processor = createEventProcessor(processorOptions)
    const tokenOptions = {
      oidc: {
        refresh: (refreshToken: string) =>
          request(process, 'refresh', () => {
            if (spent.has(refreshToken)) problems.push(`${refreshToken} was presented twice`)
            spent.add(refreshToken)
            count.refreshes++
            return issue()
          }),
      },
      store,
      [timing]: process.timing,
    }
    const tokenManager = createTokenManager(tokenOptions)
    const client = clientOf(process, {
      serve: ({ key }) => {
        charged.add(key)
        return { status: 200 }
      },
    })
    const tried = async (work: Promise<unknown>) => {
      try {
        return await work
      } catch {
        count.failures++
        return undefined
      }
    }
    for (;;) {
      const minute = Math.floor(world.now / minuteMs)
      if (minute >= hours * 60) return
      if (minute % 60 === 20 + index * 10) process.cutUntil = world.now + 2 * minuteMs
      const subject = `user-${(minute * 3 + index) % (people * 50)}`
      const started = (await tried(manager.start(subject))) as { sessionId?: string | null } | undefined
      const session = sessions.get(started?.sessionId ?? '')
      if (session) {
        session.decision = 'APPROVED'
        const event = {
          event_id: `evt_${session.id}`,
          type: 'verification.approved' as const,
          session_id: session.id,
          status: 'APPROVED' as const,
          vendor_data: subject,
          occurred_at: isoAt(world.now),
        }
        count.events++
        // Twice at the same time, as a sender that got no response in time does.
        await Promise.all([processor.process(event), processor.process(event)])
      }
      const person = `person-${minute % people}`
      if ((await tried(tokenManager.getAccessToken(person))) === undefined)
        await tried(tokenManager.save(person, issue()))
      await tried(client.checks.location({ latitude: minute % 90 }))
      if (minute % 60 === 0) await tried(sweep(manager))
      await process.timing.sleep((minute + 1) * minuteMs - world.now, undefined)
    }
  }
  const crash = world.outsider('operator')
  for (let index = 0; index < 3; index++) world.start(`p${index + 1}`, (process) => main(process, index))
  for (let hour = 0; hour < hours; hour++)
    crash.timing.timer(() => world.crash(`p${1 + (hour % 3)}`), hour * 60 * minuteMs + 5 * minuteMs + 137)

  const before = memoryInUse()
  try {
    await world.run(() => 0)
  } finally {
    Reflect.deleteProperty(crypto, 'randomUUID')
  }
  problems.push(...world.violations)
  const { openRequests, ...counts } = count
  return {
    ...counts,
    charges: charged.size,
    steps: world.steps,
    problems,
    pendingAtEnd: world.pending,
    openRequests,
    heapGrowth: memoryInUse() - before,
    keys: data.keys().length,
  }
}

async function sweep(manager: { reconcile(options: { olderThanMs: number }): AsyncIterable<unknown> }) {
  for await (const _ of manager.reconcile({ olderThanMs: minuteMs }));
}
