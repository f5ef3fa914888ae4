import { aFunction, checkMethods, checkOptions } from '../../options/rules.ts'
import type { EventInbox } from '../event-inbox.ts'
import type { Store } from '../store.ts'
import { inboxRules } from './inbox-rules.ts'
import { type InboxTestDatabase, ProbedInbox } from './probed-inbox.ts'
import { ProbedStore } from './probed-store.ts'
import { needsClock, type Rule, rules } from './rules.ts'
import { injectedClock, realClock } from './store-clock.ts'

/** One rule of {@link Store} or {@link EventInbox}. */
export interface StoreCheck {
  /** The rule, such as `lets one of many concurrent compareAndSet calls succeed`. */
  readonly name: string
  /**
   * Creates a store or inboxes and checks the rule. Rejects with an `Error` that names the rule if it is broken.
   *
   * @example
   * for (const { name, run } of testStore(makeStore)) it(name, run)
   */
  readonly run: () => Promise<void>
}

/**
 * All rules of {@link Store} or {@link EventInbox}. `await` checks them all; iterate to make each rule a test of its
 * own.
 */
export interface StoreTest extends Iterable<StoreCheck>, PromiseLike<void> {}

/** Options of {@link testStore}. */
export interface StoreTestOptions {
  /**
   * Moves the clock of the store forward, in milliseconds. Set it if your store has a clock that a test can replace.
   * The rules then run without waiting, one after the other.
   *
   * @default waits in real time, about 2 seconds in total
   */
  readonly advance?: ((ms: number) => unknown) | undefined
}

/**
 * Checks that a custom store follows the rules of {@link Store}: results, lifetimes, races, and any string as a key or
 * value. It needs no test framework. Use a database that contains nothing else, because some of the keys are empty or
 * common words.
 *
 * @param makeStore called once for each rule. It may return the same store every time
 * @returns the rules. `await` rejects with an `AggregateError` that lists each broken rule
 *
 * @example
 * await testStore(makeStore)
 */
export function testStore(makeStore: () => Store | PromiseLike<Store>, options: StoreTestOptions = {}): StoreTest {
  checkOptions('testStore', options, { advance: aFunction })
  const { advance } = options
  const clock = advance === undefined ? realClock : injectedClock(advance)

  const check = async (obeys: Rule) => {
    const store = new ProbedStore(await makeStore())
    await obeys(store, clock).finally(() => store.clear())
  }
  // Rules that mostly wait do so together, unless they would move one clock.
  return testOf('store', rules, check, (name) => advance === undefined && needsClock.has(name))
}

/**
 * Checks that a custom inbox follows the rules of {@link EventInbox}: effects that are committed once together with
 * their event, rollbacks, duplicates, concurrent deliveries, lost connections, callbacks that end the transaction, and
 * any string as a key. It needs no test framework. It waits for events in progress, so it takes seconds.
 *
 * @param makeInbox called twice for each rule, for two inboxes that share a database like those of two processes. It
 *   may return the same inbox every time, but an inbox that keeps running events in memory then hides what it does not
 *   share
 * @param database how to write and count effects in the database of the inbox, in a table that you create. Rows stay
 *   there
 * @returns the rules. `await` rejects with an `AggregateError` that lists each broken rule
 * @throws {ConfigurationError} `database` lacks a function
 *
 * @example
 * await testInbox(() => postgresInbox(pool), {
 *   write: (tx, text) => tx.query('INSERT INTO effects VALUES ($1)', [text]),
 *   count: async (text) => (await pool.query('SELECT FROM effects WHERE text = $1', [text])).rows.length,
 *   query: (tx, statement) => tx.query(statement),
 *   disconnect: (tx) => tx.query('SELECT pg_terminate_backend(pg_backend_pid())'),
 * })
 */
export function testInbox<Tx>(
  makeInbox: () => EventInbox<Tx> | PromiseLike<EventInbox<Tx>>,
  database: InboxTestDatabase<Tx>,
): StoreTest {
  const methods = ['write', 'count', 'query', 'disconnect'] as const
  checkMethods('testInbox', 'database', database, methods, 'an InboxTestDatabase')
  return testOf('inbox', inboxRules, async (obeys) =>
    // A rule passes a transaction on without a look at it.
    obeys(new ProbedInbox<unknown>([await makeInbox(), await makeInbox()] as never, database as never)),
  )
}

/** @param waits whether a rule mostly waits, so that it runs together with others that do */
function testOf<Rule>(
  what: string,
  rules: Readonly<Record<string, Rule>>,
  obey: (rule: Rule) => Promise<void>,
  waits: (name: string) => boolean = () => false,
): StoreTest {
  const checks = Object.entries(rules).map(
    ([name, rule]): StoreCheck => ({
      name,
      run: () =>
        obey(rule).catch((thrown: unknown) => {
          throw new Error(`${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}`, {
            cause: thrown,
          })
        }),
    }),
  )

  const runAll = async () => {
    const errors: unknown[] = []
    const runOne = ({ run }: StoreCheck) => run().catch((error: unknown) => errors.push(error))
    await Promise.all(checks.filter(({ name }) => waits(name)).map(runOne))
    for (const check of checks) if (!waits(check.name)) await runOne(check)
    if (errors.length === 0) return
    const list = errors.map((error) => `\n- ${(error as Error).message}`).join('')
    throw new AggregateError(errors, `The ${what} breaks ${errors.length} of ${checks.length} rules:${list}`)
  }

  return {
    [Symbol.iterator]: () => checks.values(),
    // biome-ignore lint/suspicious/noThenProperty: `await` checks all rules
    then: (onFulfilled, onRejected) => runAll().then(onFulfilled, onRejected),
  }
}
