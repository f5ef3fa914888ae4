import { realTiming } from '../../runtime/timing.ts'
import type { EventInbox, EventOutcome } from '../event-inbox.ts'

/** How `testInbox` uses the database of an inbox. */
export interface InboxTestDatabase<Tx> {
  /** Writes a row with a text through `tx`, as a callback would. */
  readonly write: (tx: Tx, text: string) => unknown
  /** Returns how many rows with the text are committed. It reads outside of any transaction. */
  readonly count: (text: string) => number | PromiseLike<number>
  /** Runs a statement through `tx`: `COMMIT`, `ROLLBACK`, or a text that is not a statement. */
  readonly query: (tx: Tx, statement: string) => unknown
  /** Closes the connection of `tx`, as if it was lost. It may reject. */
  readonly disconnect: (tx: Tx) => unknown
}

type Work<Tx> = (tx: Tx, signal: AbortSignal) => unknown

const retainMs = 604_800_000

/** How long a delivery may take, in milliseconds, while another one of its event runs. */
const longestWaitMs = 10_000

/** Two inboxes that share a database, like those of two processes, and the effects of their callbacks. */
export class ProbedInbox<Tx> {
  readonly #inboxes: readonly [EventInbox<Tx>, EventInbox<Tx>]
  readonly #database: InboxTestDatabase<Tx>
  readonly #prefix = crypto.randomUUID()
  #events = 0
  /** How often the work of each event was called. */
  readonly #calls = new Map<string, number>()

  constructor(inboxes: readonly [EventInbox<Tx>, EventInbox<Tx>], database: InboxTestDatabase<Tx>) {
    this.#inboxes = inboxes
    this.#database = database
  }

  /** Returns the key of an event that no earlier run used, because the database may still contain those. */
  event = (text = String(++this.#events)) => `${this.#prefix} ${text}`

  /** Writes the effect of an event. */
  write = async (tx: Tx, event: string) => void (await this.#database.write(tx, event))

  /** Runs a statement, whether or not it fails. */
  async query(tx: Tx, statement: string): Promise<void> {
    await ignored(() => this.#database.query(tx, statement))
  }

  /** Closes the connection of a transaction. The response may be lost with it. */
  async disconnect(tx: Tx): Promise<void> {
    await ignored(() => this.#database.disconnect(tx))
  }

  /** Delivers an event to one of the two processes. The work writes its effect, unless another work is passed. */
  deliver(event: string, process: 0 | 1, work: Work<Tx> = (tx) => this.write(tx, event)): Promise<EventOutcome> {
    return within(longestWaitMs, callOf(event), async () =>
      this.#inboxes[process].process({ key: event, retainMs }, async ({ tx, signal }) => {
        this.#calls.set(event, this.calls(event) + 1)
        await work(tx, signal)
      }),
    )
  }

  calls = (event: string) => this.#calls.get(event) ?? 0

  /** Delivers an event. Rejects unless the outcome is one of these. */
  async delivers(event: string, process: 0 | 1, expected: readonly EventOutcome[], work?: Work<Tx>): Promise<void> {
    expectOutcome(event, await this.deliver(event, process, work), expected)
  }

  /** Delivers an event whose delivery must fail. Returns what it rejected with. */
  async fails(event: string, why: string, work: Work<Tx>): Promise<unknown> {
    const outcome = await this.deliver(event, 0, work).catch((error: unknown) => ({ error }))
    if (typeof outcome === 'object') return outcome.error
    throw new Error(`process resolved to '${outcome}' although ${why}`)
  }

  /** Rejects unless the effect of an event was committed so many times. */
  async hasEffects(event: string, expected: number): Promise<void> {
    const count = await this.#database.count(event)
    if (count !== expected)
      throw new Error(`the effect of an event was committed ${count} times instead of ${expected}`)
  }

  /** Delivers an event again. Rejects unless it is then committed, and its effect once. */
  async isOnceAfterRetry(event: string): Promise<void> {
    await this.delivers(event, 1, ['processed', 'duplicate'])
    await this.hasEffects(event, 1)
    await this.delivers(event, 0, ['duplicate'])
  }

  /** Starts the delivery of an event. Resolves when its work has written, and waits to be ended. */
  async running(event: string): Promise<{ ends: Promise<EventOutcome>; end(): void; fail(error: Error): void }> {
    const started = deferred<void>()
    const finished = deferred<void>()
    const ends = this.deliver(event, 0, async (tx) => {
      await this.write(tx, event)
      started.resolve()
      await finished.promise
    })
    ends.catch(() => {})
    await Promise.race([started.promise, ends.then((outcome) => expectOutcome(event, outcome, ['processed']))])
    return { ends, end: finished.resolve, fail: finished.reject }
  }
}

async function ignored(call: () => unknown): Promise<void> {
  try {
    await call()
  } catch {
    // The rule reads the outcome of the event.
  }
}

/** Describes the delivery of an event. Its key may be very long. */
function callOf(event: string): string {
  const key = JSON.stringify(event)
  return `process({ key: ${key.length <= 90 ? key : `${key.slice(0, 80)}...`} })`
}

function deferred<T>() {
  let [resolve, reject]: [(value: T) => void, (error: Error) => void] = [() => {}, () => {}]
  const promise = new Promise<T>((onEnd, onFailure) => {
    resolve = onEnd
    reject = onFailure
  })
  return { promise, resolve, reject }
}

async function within<T>(ms: number, what: string, start: () => Promise<T>): Promise<T> {
  const late = deferred<never>()
  const cancel = realTiming.timer(() => late.reject(new Error(`${what} did not end within ${ms / 1000} s`)), ms)
  return Promise.race([start(), late.promise]).finally(cancel)
}

/** Rejects unless the outcome of an event is one of these. */
export function expectOutcome(event: string, outcome: EventOutcome, expected: readonly EventOutcome[]): void {
  if (expected.includes(outcome)) return
  throw new Error(
    `${callOf(event)} resolved to '${outcome}' instead of ${expected.map((each) => `'${each}'`).join(' or ')}`,
  )
}
