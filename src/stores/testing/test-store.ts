import { aFunction, checkOptions } from '../../options/rules.ts'
import type { Store } from '../store.ts'
import { ProbedStore } from './probed-store.ts'
import { needsClock, rules, type StoreRule } from './rules.ts'
import { injectedClock, realClock } from './store-clock.ts'

/** One rule of {@link Store}. */
export interface StoreCheck {
  /** The rule, such as `lets one of many concurrent compareAndSet calls succeed`. */
  readonly name: string
  /**
   * Creates a store and checks the rule. Rejects with an `Error` that names the rule if it is broken.
   *
   * @example
   * for (const { name, run } of testStore(makeStore)) it(name, run)
   */
  readonly run: () => Promise<void>
}

/** All rules of {@link Store}. `await` checks them all; iterate to make each rule a test of its own. */
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

  const obey = async (rule: StoreRule) => {
    const store = new ProbedStore(await makeStore())
    await rule(store, clock).finally(() => store.clear())
  }
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
    // Rules that mostly wait do so together, unless they would move one clock.
    const waits = ({ name }: StoreCheck) => advance === undefined && needsClock.has(name)
    await Promise.all(checks.filter(waits).map(runOne))
    for (const check of checks) if (!waits(check)) await runOne(check)
    if (errors.length === 0) return
    const list = errors.map((error) => `\n- ${(error as Error).message}`).join('')
    throw new AggregateError(errors, `The store breaks ${errors.length} of ${checks.length} rules:${list}`)
  }

  return {
    [Symbol.iterator]: () => checks.values(),
    // biome-ignore lint/suspicious/noThenProperty: `await` checks all rules
    then: (onFulfilled, onRejected) => runAll().then(onFulfilled, onRejected),
  }
}
