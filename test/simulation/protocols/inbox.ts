import { timing } from '../../../src/runtime/timing.ts'
import type { TransactionContext } from '../../../src/stores/event-inbox.ts'
import { postgresInbox } from '../../../src/stores/postgres/inbox.ts'
import { createEventProcessor, type EventProcessor } from '../../../src/webhooks.ts'
import { Database, effectText, type Session, simulatedPool } from '../database.ts'
import type { Protocol } from '../protocol.ts'
import type { Process } from '../world.ts'

const operationTimeoutMs = 4_000
const redeliverAfterMs = 5_000

const event = {
  event_id: 'evt_1',
  type: 'verification.approved' as const,
  session_id: 'sess_1',
  status: 'APPROVED' as const,
  vendor_data: 'user-42',
  occurred_at: '2026-01-01T00:00:00Z',
}

/** As the `query_timeout` of pg does: the inbox does not bound the statements of callbacks. */
function withinQueryTimeout(process: Process, statement: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const cancel = process.timing.timer(() => reject(new Error('Query read timeout')), operationTimeoutMs)
    statement.then(resolve, reject).finally(cancel)
  })
}

/**
 * The inbox: one event is delivered to every process at once, to the first one twice, and its effect is in one
 * database.
 */
export const inbox: Protocol = {
  name: 'inbox',
  faults: [
    'crash',
    'pause',
    'cut',
    'failed callback',
    'clock',
    'lost connection',
    'lost request',
    'lost response',
    'failed request',
    'failed response',
    'late request',
    'late response',
  ],
  pauseMs: 10_000,
  lateMs: operationTimeoutMs + 500,
  begin(world, { processes }) {
    const database = new Database(world)
    database.onCommit = () => {
      if (database.effects.length > 1) world.violate('the effect of the event is in the database twice')
    }
    const processors = new Map<Process, EventProcessor>()
    const responses: string[] = []

    const callback = async (process: Process, { tx, signal }: TransactionContext<object>) => {
      // `tx` forwards to the session.
      const session = tx as Session
      world.note(process, 'callback begins')
      await withinQueryTimeout(process, session.query(effectText, ['evt_1']))
      await world.callback(process, 'callback ends', (fail) => [
        session.loss((error) => {
          if (!signal.aborted) world.violate('a connection is lost, and the signal has not aborted')
          fail(error)
        }),
      ])
    }

    const receivers = Array.from({ length: processes }, (_, i) =>
      world.start(`p${i + 1}`, (process) => {
        const options = { createTable: false, operationTimeoutMs, [timing]: process.timing }
        processors.set(
          process,
          createEventProcessor({
            inbox: postgresInbox<object>(simulatedPool(database, process) as never, options),
            on: {
              'verification.approved': (_: unknown, context: TransactionContext<object>) => callback(process, context),
            },
            onError: () => {},
          }),
        )
      }),
    )

    const senders = [...receivers, ...receivers.slice(0, 1)]
    senders.forEach((receiver, i) => {
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
            if (database.effects.length === 0)
              world.violate('a delivery got 200, although the effect of the event is not in the database')
            return
          }
          await sender.timing.sleep(redeliverAfterMs, undefined)
        }
      }
      world.hold(sender, 'inside', 'sends evt_1', () => void deliver())
    })

    return {
      state: () => `${database.state()}\n${responses.join()}`,
      atEnd() {
        if (database.effects.length !== 1) world.violate('the effect of the event is not in the database')
        if (responses.filter((response) => response.startsWith('200')).length < senders.length)
          world.violate('a delivery has not been accepted')
        if (database.sessions.size > 0) world.violate('a connection has not gone back to its pool')
      },
    }
  },
}
