import type { SpendLimit } from '../../../src/index.ts'
import { SpendLimitError } from '../../../src/index.ts'
import { clientOf, loadClient, type Received, type Responded } from '../client.ts'
import type { Protocol } from '../protocol.ts'
import { StoreData, simulatedStore } from '../store.ts'
import type { Fault, Process, World } from '../world.ts'

const perMs = 60_000
const operationTimeoutMs = 3_000
/** Within the limit of an operation, and longer than a counted call may wait. */
const lateMs = 2_000
const probeAfterMs = 10_000
/** Longer than the lease of a probe, so that a lease that is not renewed ends while the probe runs. */
const probeWorkMs = 40_000
const refilledAt = 70_000
const emptyKey = 'spend-limit:empty:default'

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
  readonly call: string
  readonly at: number
  readonly spendKey: string | undefined
}

/** A probe that has not ended. */
interface Probe {
  readonly process: Process
  readonly faultsBefore: number
}

const protocolOf = ({ name, limit, keyOf, calls, isEmpty = false }: Setting): Protocol => ({
  name,
  faults,
  pauseMs: 61_000,
  lateMs,
  turns: 3,
  prepare: loadClient,
  begin(world, { processes, rounds }) {
    const data = new StoreData(world)
    data.show = (text) => (text.startsWith('{') ? text.replace(/"(?:id|write)":"([^"]*)"/g, '$1') : text)
    let sent: Sent[] = []
    let ended = 0
    /** Processes that have last read that the wallet is empty, so that what they send is a probe. */
    const sawEmpty = new Set<Process>()
    const probes = new Set<Probe>()

    data.onRead.push((process, key, value) => {
      if (key !== emptyKey) return
      if (value === null) sawEmpty.delete(process)
      else sawEmpty.add(process)
    })
    const violateIfOver = (what: string, max: number, of: readonly Sent[]) => {
      const inSpan = of.filter(({ at }) => at > world.now - perMs)
      const distinct = new Set(inSpan.map(({ call }) => call)).size
      if (distinct > max) world.violate(`${distinct} calls ${what} in a span, and the limit is ${max}`)
    }
    const sends = (process: Process, { body }: Received, spendKey: string | undefined): Probe | undefined => {
      sent.push({ call: body, at: world.now, spendKey })
      world.note(process, `hands ${body} to the transport`)
      violateIfOver('are sent', limit.calls, sent)
      if (limit.perKey && spendKey !== undefined)
        violateIfOver(
          `of ${spendKey} are sent`,
          limit.perKey.calls,
          sent.filter((one) => one.spendKey === spendKey),
        )
      if (!sawEmpty.has(process)) return undefined
      for (const other of probes) {
        const since = other.process.suffered.slice(other.faultsBefore)
        const mayBeLost =
          !other.process.isAlive || since.some(({ fault }) => fault === 'pause') || since.length >= 3
        if (!mayBeLost) world.violate('two probes are sent at once')
      }
      const probe = { process, faultsBefore: process.suffered.length }
      probes.add(probe)
      return probe
    }

    const call = async (process: Process, number: string, spendKey: string | undefined) => {
      for (;;) {
        let probe: Probe | undefined
        const client = clients.get(process)
        if (client === undefined) return
        client.onSend = (received) => {
          probe = sends(process, received, spendKey)
        }
        try {
          await client.checks.location(
            { latitude: Number(number) },
            spendKey === undefined ? {} : { spendKey },
          )
          world.note(process, `the call ${number} succeeds`)
          ended++
          return
        } catch (error) {
          const { retryAfterMs } = error as { retryAfterMs?: number }
          const isStopped = error instanceof SpendLimitError
          world.note(
            process,
            `the call ${number} fails: ${isStopped ? `${error.reason}, retry after ${retryAfterMs} ms` : String((error as { code?: unknown }).code)}`,
          )
          await process.timing.sleep(isStopped ? Math.max(1, retryAfterMs ?? 0) : 5_000, undefined)
        } finally {
          if (probe) probes.delete(probe)
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
          spendingClient(process, world, { ...limit, probeAfterMs, store }, serve, isEmpty, ({ body }) => {
            // A call that was not sent is not counted.
            sent = sent.filter(({ call: one }) => one !== body)
          }),
        )
        for (let n = 1; n <= calls * rounds; n++) await call(process, `${i}${n}`, keyOf?.(n))
      })
    return {
      state: () => {
        const inSpan = JSON.stringify(sent.filter(({ at }) => at > world.now - perMs))
        const ofProbes = [...probes].map(({ process, faultsBefore }) => `${process.name} ${faultsBefore}`)
        const empty = [...sawEmpty].map(({ name }) => name)
        return `${data.state()} ${inSpan} ${ended} ${ofProbes.join()} ${empty.join()}`
      },
      atEnd() {
        if (ended < calls * rounds * processes) world.violate('a call never ended')
      },
    }
  },
})

function spendingClient(
  process: Process,
  world: World,
  spendLimit: SpendLimit,
  serve: () => Responded,
  isSlow: boolean,
  wasNotSent: (received: Received) => void,
) {
  const hooks = { onSend: (_: Received) => {} }
  const client = clientOf(process, {
    serve,
    workMs: () => (isSlow && world.now < refilledAt ? probeWorkMs : 0),
    sends: (received) => hooks.onSend(received),
    wasNotSent,
    lateMs: 65_000,
    options: { maxRetries: 0, timeoutMs: 60_000, spendLimit },
  })
  return Object.assign(hooks, { checks: client.checks })
}

/** The limit of all calls: one call in a span, in which two processes want to send one each. */
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
