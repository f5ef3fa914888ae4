import { timing } from '../../../src/runtime/timing.ts'
import type { SignalContext } from '../../../src/stores/exclusive.ts'
import { createEventProcessor, type EventProcessor } from '../../../src/webhooks.ts'
import type { Protocol } from '../protocol.ts'
import { transportFaults } from '../request.ts'
import { StoreData, simulatedStore } from '../store.ts'
import type { Process } from '../world.ts'

const leaseMs = 9_000
const operationTimeoutMs = 1_000
/** Longer than the lease, so that a lease that is not renewed ends during the work. */
const workMs = 14_000
const redeliverAfterMs = 5_000
const key = 'webhook:evt_1'

const event = {
  event_id: 'evt_1',
  type: 'verification.approved' as const,
  session_id: 'sess_1',
  status: 'APPROVED' as const,
  vendor_data: 'user-42',
  occurred_at: '2026-01-01T00:00:00Z',
}

/** A call of the callback. */
interface Run {
  readonly process: Process
  readonly signal: AbortSignal
  readonly beganAt: number
  /** The faults that the process had suffered before. */
  readonly faultsBefore: number
  state: 'runs' | 'done' | 'failed'
}

/**
 * The claims of webhook events: one event is delivered to every process at once, and again until one responds with 200.
 */
export const webhooks: Protocol = {
  name: 'webhooks',
  faults: ['crash', 'pause', 'cut', 'failed callback', 'clock', ...transportFaults, 'failover'],
  pauseMs: leaseMs + 1_000,
  lateMs: operationTimeoutMs + 500,
  begin(world, { processes }) {
    const data = new StoreData(world)
    const runs: Run[] = []
    const processors = new Map<Process, EventProcessor>()
    const responses: string[] = []

    // A store that loses writes may run a callback again, and may notice a lost claim late. No event is lost.
    const hasFailedOver = () => world.happened.some(({ fault }) => fault === 'failover')
    const excuse = ({ process, faultsBefore, state, beganAt }: Run): boolean => {
      const since = process.suffered.slice(faultsBefore).map(({ fault }) => fault)
      if (state === 'failed' || !process.isAlive || hasFailedOver()) return true
      // A pause or a cut past the lease, or as many failures of the store as there are attempts to mark the event.
      if (since.includes('pause') || process.cutUntil > beganAt) return true
      return since.filter((fault) => fault !== 'clock' && fault !== 'crash').length >= 3
    }

    const callback = async (process: Process, { signal }: SignalContext) => {
      const run: Run = {
        process,
        signal,
        beganAt: world.now,
        faultsBefore: process.suffered.length,
        state: 'runs',
      }
      for (const other of runs) {
        if (!excuse(other)) world.violate('the callback runs again, although no lease was lost')
        const noticed = other.signal.aborted || !other.process.isAlive || other.process.pausedUntil >= world.now
        if (other.state === 'runs' && !noticed && !hasFailedOver())
          world.violate('the callback runs twice at once, and the signal of the first one has not aborted')
      }
      runs.push(run)
      world.note(process, 'callback begins')
      await process.timing.sleep(workMs, signal)
      if (signal.aborted) {
        if (!excuse(run)) world.violate('the lease was lost, although its renewals could reach the store')
        run.state = 'failed'
        world.note(process, 'callback ends: its signal has aborted')
        signal.throwIfAborted()
      }
      try {
        await world.callback(process, 'callback ends')
        run.state = 'done'
      } catch (error) {
        run.state = 'failed'
        throw error
      }
    }

    data.onWrite.push(({ process, before, after }) => {
      const holder = /^claim:(.*)-\d+$/.exec(before ?? '')?.[1]
      if (holder !== undefined && holder !== process.name && !hasFailedOver())
        world.violate(`${process.name} changes the claim of ${holder}`)
      if (after === 'done' && !runs.some(({ state }) => state === 'done'))
        world.violate('the event is marked as done, although no callback has run to its end')
    })

    const receivers = Array.from({ length: processes }, (_, i) =>
      world.start(`p${i + 1}`, (process) => {
        const options = {
          store: { ...simulatedStore(data, process), operationTimeoutMs },
          leaseMs,
          on: { 'verification.approved': (_: unknown, context: SignalContext) => callback(process, context) },
          onError: () => {},
          [timing]: process.timing,
        }
        processors.set(process, createEventProcessor(options))
      }),
    )

    receivers.forEach((receiver, i) => {
      const sender = world.outsider(`sender${i + 1}`)
      const deliver = async () => {
        for (;;) {
          const process = receiver()
          await Promise.race([world.step(process, 'receives evt_1'), process.crashed])
          const result = await Promise.race([processors.get(process)?.process(event), process.crashed])
          const outcome = typeof result === 'object' ? `${result.status} ${result.outcome}` : 'no response'
          world.note(sender, `is sent: ${outcome}`)
          responses.push(outcome)
          if (outcome.startsWith('200')) {
            if (!runs.some(({ state }) => state === 'done'))
              world.violate('a delivery got 200, although no callback has run to its end')
            return
          }
          await sender.timing.sleep(redeliverAfterMs, undefined)
        }
      }
      world.hold(sender, 'inside', 'sends evt_1', () => void deliver())
    })

    const stateOfRun = ({ process, state, signal, faultsBefore }: Run) =>
      `${process.name} ${state} ${signal.aborted} ${process.suffered
        .slice(faultsBefore)
        .map(({ fault }) => fault)
        .join()}`
    return {
      state: () => `${data.state()}\n${runs.map(stateOfRun).join('\n')}\n${responses.join()}`,
      atEnd() {
        if (!runs.some(({ state }) => state === 'done')) world.violate('the event was lost')
        if (responses.filter((response) => response.startsWith('200')).length < processes)
          world.violate('a delivery has not been accepted')
        if (world.happened.length === 0 && runs.length !== 1) world.violate('the callback did not run once')
        if (data.read(key) === null && world.now < 604_800_000 && !world.happened.length)
          world.violate('the event is not marked as done')
      },
    }
  },
}
