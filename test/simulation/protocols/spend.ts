import { type SpendLimit, SpendLimitError } from '../../../src/index.ts'
import { clientOf, loadClient, type Received, type Responded } from '../client.ts'
import type { Protocol } from '../protocol.ts'
import { StoreData, simulatedStore } from '../store.ts'
import { epoch, type Fault, type Process } from '../world.ts'

const perMs = 60_000
const operationTimeoutMs = 3_000
/** Within the limit of an operation. */
const lateMs = 2_000
/** How long a process relies on what it knows. */
const freshMs = 1_000
const refilledAt = 70_000
const keyOfAll = `spend-limit:${perMs}:all:default`

const faults: readonly Fault[] = [
  'crash',
  'pause',
  'clock',
  'lost request',
  'lost response',
  'failed request',
  'failed response',
  'late request',
  'late response',
]

interface Setting {
  readonly name: string
  readonly limit: Pick<SpendLimit, 'calls' | 'perMs' | 'perKey'>
  /** The key of the n-th call of a process. */
  readonly keyOf?: (n: number) => string
  /** Calls of each process, for one round. */
  readonly calls: number
  readonly isEmpty?: boolean
}

/** A call that was handed to the transport. */
interface Sent {
  readonly key: string
  readonly window: number
}

interface CountRecord {
  readonly window: number
  readonly pause?: { readonly untilMs: number; readonly waitMs: number }
}

/** A pause as it was written. */
interface Pause {
  readonly at: number
  /** The process that may send a trial, until it has. */
  trialOf: Process | undefined
}

const recordOf = (text: string | null) => JSON.parse(text ?? '{}') as Partial<CountRecord>

/** Faults after which a process may not know what it has read. */
const unseen: readonly Fault[] = ['pause', 'lost response', 'failed response', 'late response']

const protocolOf = ({ name, limit, keyOf, calls, isEmpty = false }: Setting): Protocol => ({
  name,
  faults,
  pauseMs: 61_000,
  lateMs,
  turns: 3,
  prepare: loadClient,
  begin(world, { processes, rounds }) {
    const data = new StoreData(world)
    let sent: Sent[] = []
    let ended = 0
    let pause: Pause = { at: 0, trialOf: undefined }
    /** The windows that were opened in each record of the store. */
    const windows = new Map<string, number>()
    /** When each process last read or wrote the record of all. */
    const observed = new Map<Process, number>()

    data.onRead.push((process, key) => {
      if (key === keyOfAll) observed.set(process, world.now)
    })
    data.onWrite.push(({ process, key, before, after }) => {
      const [was, is] = [recordOf(before), recordOf(after)]
      if (before === null || Number(is.window) > Number(was.window)) windows.set(key, (windows.get(key) ?? 0) + 1)
      if (key !== keyOfAll) return
      observed.set(process, world.now)
      if (was.pause && !is.pause && world.now < refilledAt) world.violate('a pause ends although no trial was paid')
      if (was.pause?.untilMs === is.pause?.untilMs) return
      pause = { at: world.now, trialOf: was.pause?.waitMs === is.pause?.waitMs ? process : undefined }
    })
    const clocksAreRight = () => world.happened.every(({ fault }) => fault !== 'clock')
    const violateIfOver = (what: string, max: number, opened: number, of: readonly Sent[]) => {
      const distinct = (some: readonly Sent[]) => new Set(some.map(({ key }) => key)).size
      if (distinct(of) > max * opened)
        world.violate(`${distinct(of)} calls${what} are sent in ${opened} windows of ${max}`)
      const inWindow = distinct(of.filter(({ window }) => window === of.at(-1)?.window))
      if (inWindow > max && clocksAreRight())
        world.violate(`${inWindow} calls${what} are sent in a window, and the limit is ${max}`)
    }
    const violateIfPaused = (process: Process) => {
      const { pause: current } = recordOf(data.read(keyOfAll))
      if (!current || epoch + world.now >= current.untilMs || !clocksAreRight()) return
      if (pause.trialOf === process) {
        pause.trialOf = undefined
        return
      }
      const knows = (observed.get(process) ?? -1) >= pause.at
      if (knows && !process.suffered.some(({ fault }) => unseen.includes(fault)))
        world.violate('a process that knows of a pause sends a call')
      if (process.suffered.length === 0 && world.now > pause.at + freshMs)
        world.violate(`a call is sent ${world.now - pause.at} ms after a pause began`)
    }
    const sends = (process: Process, { key, body }: Received, spendKey: string | undefined) => {
      sent.push({ key, window: Math.floor(world.now / perMs) })
      world.note(process, `hands ${body} to the transport`)
      violateIfOver('', limit.calls, windows.get(keyOfAll) ?? 0, sent)
      const { perKey } = limit
      if (perKey && spendKey !== undefined) {
        const opened = [...windows].find(([stored]) => stored !== keyOfAll)?.[1] ?? 0
        violateIfOver(` of ${spendKey}`, perKey.calls, opened, sent)
      }
      violateIfPaused(process)
    }

    const call = async (process: Process, number: string, spendKey: string | undefined) => {
      for (;;) {
        const client = clients.get(process)
        if (client === undefined) return
        client.onSend = (received) => sends(process, received, spendKey)
        try {
          await client.checks.location({ latitude: Number(number) }, spendKey === undefined ? {} : { spendKey })
          world.note(process, `the call ${number} succeeds`)
          ended++
          return
        } catch (error) {
          const { retryAfterMs = 0 } = error as { retryAfterMs?: number }
          const isStopped = error instanceof SpendLimitError
          world.note(
            process,
            `the call ${number} fails: ${isStopped ? `${error.reason}, retry after ${retryAfterMs} ms` : String((error as { code?: unknown }).code)}`,
          )
          if (isStopped && error.reason !== 'payment_required' && retryAfterMs > perMs && clocksAreRight())
            world.violate(`a call is stopped for ${retryAfterMs} ms, longer than the window`)
          await process.timing.sleep(isStopped ? Math.max(1, retryAfterMs) : 5_000, undefined)
        }
      }
    }

    const serve = (): Responded => ({ status: isEmpty && world.now < refilledAt ? 402 : 200 })
    const clients = new Map<Process, ReturnType<typeof spendingClient>>()
    for (let i = 1; i <= processes; i++)
      world.start(`p${i}`, async (process) => {
        const store = { ...simulatedStore(data, process), operationTimeoutMs }
        clients.set(
          process,
          spendingClient(process, { ...limit, store }, serve, ({ key }) => {
            // A call that was not sent is not counted.
            sent = sent.filter(({ key: one }) => one !== key)
          }),
        )
        for (let n = 1; n <= calls * rounds; n++) await call(process, `${i}${n}`, keyOf?.(n))
      })
    return {
      state: () => {
        const since = [...observed].map(([process, at]) => `${process.name} ${at >= pause.at}`)
        const opened = [...windows.values()].join()
        return `${data.state()} ${JSON.stringify(sent)} ${ended} ${pause.at} ${pause.trialOf?.name} ${since.join()} ${opened}`
      },
      atEnd() {
        if (ended < calls * rounds * processes) world.violate('a call never ended')
      },
    }
  },
})

function spendingClient(
  process: Process,
  spendLimit: SpendLimit,
  serve: () => Responded,
  wasNotSent: (received: Received) => void,
) {
  const hooks = { onSend: (_: Received) => {} }
  const client = clientOf(process, {
    serve,
    sends: (received) => hooks.onSend(received),
    wasNotSent,
    lateMs: 65_000,
    options: { maxRetries: 0, timeoutMs: 60_000, spendLimit },
  })
  return Object.assign(hooks, { checks: client.checks })
}

/** The limit of all calls: one call in a window, in which two processes want to send one each. */
export const spendLimit = protocolOf({ name: 'spend limit', limit: { calls: 1, perMs }, calls: 1 })

/** The limit of each key. */
export const keyLimit = protocolOf({
  name: 'spend limit of a key',
  limit: { calls: 2, perMs, perKey: { calls: 1, perMs } },
  keyOf: () => 'user',
  calls: 1,
})

/** The wallet, which is empty at first. */
export const wallet = protocolOf({ name: 'wallet', limit: { calls: 9, perMs }, calls: 1, isEmpty: true })
