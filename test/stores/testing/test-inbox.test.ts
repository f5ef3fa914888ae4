import { expect, it, vi } from 'vitest'
import { type EventInbox, type InboxTestDatabase, testInbox } from '../../../src/stores-testing.ts'
import { ConfigurationError, StoreError } from '../../../src/webhooks.ts'

/** A transaction of the database below. */
interface Transaction {
  readonly effects: string[]
  readonly key: string
  state: 'open' | 'failed' | 'committed' | 'rolled back' | 'lost'
}

/** What is wrong with an inbox. */
interface Flaws {
  /** Changes keys before it uses them. */
  key?: (key: string) => string
  /** What a delivery does if another one of its event runs. */
  whileRunning?: 'is a duplicate' | 'waits' | 'waits, then is a duplicate' | 'runs too'
  /** Whether only one event runs at a time. */
  runsOneEvent?: true
  forgetsEffects?: true
  forgetsEvents?: true
  passesNoSignal?: true
  recordsFirst?: true
  retries?: true
  keepsEffects?: true
  wrapsErrors?: true
  /** A COMMIT in a callback commits its effects without the event. */
  commitsEffectsAlone?: true
  /** What an ended transaction counts as. */
  acceptsEnd?: Transaction['state']
  rejectsLoss?: 'with another error' | 'after a commit'
}

/** A correct inbox, if it has no flaw, in a database that is an array. */
function inMemory(flaws: Flaws = {}) {
  const committed: string[] = []
  const events = new Set<string>()
  const running = new Map<string, Promise<unknown>>()
  const end = ({ key, effects }: Transaction) => {
    if (!flaws.forgetsEffects) committed.push(...effects)
    if (!flaws.forgetsEvents) events.add(key)
  }

  const run = async (tx: Transaction, work: Parameters<EventInbox<Transaction>['process']>[1]) => {
    if (flaws.recordsFirst) events.add(tx.key)
    const signal = flaws.passesNoSignal ? (undefined as never) : new AbortController().signal
    try {
      await work({ tx, signal })
    } catch (error) {
      if (flaws.keepsEffects) committed.push(...tx.effects)
      if (flaws.retries) await work({ tx, signal }).catch(() => {})
      throw flaws.wrapsErrors ? new Error('failed', { cause: error }) : error
    }
    if (tx.state === 'lost' && flaws.rejectsLoss === 'after a commit') end(tx)
    if (tx.state === 'lost' && flaws.rejectsLoss === 'with another error') throw new Error('closed')
    if (tx.state === flaws.acceptsEnd) return void events.add(tx.key)
    if (tx.state === 'lost') throw new StoreError({ message: 'the connection was lost' })
    if (tx.state !== 'open') throw new Error('the callback ended the transaction')
    end(tx)
  }

  const inbox: EventInbox<Transaction> = {
    async process(entry, work) {
      const key = flaws.key ? flaws.key(entry.key) : entry.key
      const lock = flaws.runsOneEvent ? 'all' : key
      if (flaws.whileRunning !== 'runs too' && running.has(lock)) {
        if (!flaws.whileRunning) return 'in_progress'
        if (flaws.whileRunning !== 'is a duplicate') await running.get(lock)
        if (flaws.whileRunning !== 'waits') return 'duplicate'
      }
      if (events.has(key)) return 'duplicate'
      const runs = run({ key, effects: [], state: 'open' }, work)
      running.set(
        lock,
        runs.catch(() => {}).finally(() => running.delete(lock)),
      )
      await runs
      return 'processed'
    },
  }

  const database: InboxTestDatabase<Transaction> = {
    async write({ effects, state }, text) {
      if (state !== 'open') throw new Error(`the transaction is ${state}`)
      effects.push(text)
    },
    count: async (text) => committed.filter((effect) => effect === text).length,
    async query(tx, statement) {
      if (statement === 'ROLLBACK') tx.state = 'rolled back'
      else if (statement === 'COMMIT') {
        tx.state = 'committed'
        if (flaws.commitsEffectsAlone) committed.push(...tx.effects)
        else end(tx)
      } else {
        tx.state = 'failed'
        throw new Error('not a statement')
      }
    },
    async disconnect(tx) {
      tx.state = 'lost'
      throw new Error('closed')
    },
  }
  return { inbox, database }
}

const rulesOf = (flaws?: Flaws) => {
  const { inbox, database } = inMemory(flaws)
  return testInbox(() => inbox, database)
}

const commits = 'commits what a callback writes'
const duplicates = 'runs no callback for an event that was committed'
const rollsBack = 'rolls everything back if a callback throws, and rejects with its error'
const concurrent = 'runs one callback of an event that is delivered many times at once'
const inProgress = 'reports an event as in progress while another process runs its callback'
const notCommitted = 'reports no event as a duplicate before it is committed'
const others = 'processes other events while a callback runs'
const keys = 'distinguishes any two keys'
const lost = 'rejects with a StoreError if the connection is lost, and leaves the event to the next delivery'
const committing = 'rejects if a callback commits, and leaves its effects once'
const rollingBack = 'rejects if a callback rolls back, and leaves the event to the next delivery'
const ignoring = 'loses no effect of a callback that ignores the error of a statement'

const defects: readonly (readonly [defect: string, flaws: Flaws, broken: string])[] = [
  ['that passes no signal', { passesNoSignal: true }, commits],
  ['that commits the event only', { forgetsEffects: true }, commits],
  ['that commits the effects only', { forgetsEvents: true }, duplicates],
  ['that commits the effects of a callback that throws', { keepsEffects: true }, rollsBack],
  ['that wraps the error of a callback', { wrapsErrors: true }, rollsBack],
  ['that calls a callback again', { retries: true }, rollsBack],
  ['that records the event before its callback', { recordsFirst: true }, rollsBack],
  ['that runs deliveries at the same time', { whileRunning: 'runs too' }, concurrent],
  ['that waits for a callback, however long', { whileRunning: 'waits' }, inProgress],
  ['that calls running events duplicates', { whileRunning: 'is a duplicate' }, inProgress],
  ['that calls an event that failed a duplicate', { whileRunning: 'waits, then is a duplicate' }, notCommitted],
  ['that runs one event at a time', { runsOneEvent: true }, others],
  ['that cuts keys', { key: (key) => key.slice(0, 255) }, keys],
  ['that ignores case', { key: (key) => key.toUpperCase() }, keys],
  ['that replaces lone surrogates', { key: (key) => key.toWellFormed() }, keys],
  ['that ignores a lost connection', { acceptsEnd: 'lost' }, lost],
  ['that rejects with what the driver throws', { rejectsLoss: 'with another error' }, lost],
  ['that commits on another connection', { rejectsLoss: 'after a commit' }, lost],
  ['that ignores a COMMIT', { acceptsEnd: 'committed' }, committing],
  ['that records the event in another transaction', { commitsEffectsAlone: true }, committing],
  ['that ignores a ROLLBACK', { acceptsEnd: 'rolled back' }, rollingBack],
  ['that ignores that the transaction has failed', { acceptsEnd: 'failed' }, ignoring],
]

/** Runs a rule while ten seconds pass at once. */
async function run(name: string, flaws?: Flaws): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  const check = [...rulesOf(flaws)].find((rule) => rule.name === name)
  const result = check?.run().then(
    () => undefined,
    (error: unknown) => error,
  )
  await vi.advanceTimersByTimeAsync(30_000)
  vi.useRealTimers()
  const error = await result
  if (error) throw error
}

it.each(defects)('an inbox %s breaks a rule', async (_, flaws, broken) => {
  await expect(run(broken, flaws)).rejects.toThrow(broken)
})

it('each rule has an inbox that breaks it', () => {
  const names = [...rulesOf()].map(({ name }) => name)

  expect([...new Set(defects.map(([, , broken]) => broken))].sort()).toEqual(names.sort())
})

it.each([...rulesOf()].map(({ name }) => name))('a correct inbox %s', async (name) => {
  await run(name)
})

it('a correct inbox passes, one rule after another, also if it waits for the end of an event', async () => {
  await expect(rulesOf()).resolves.toBeUndefined()
})

it('rejects with an error that lists each broken rule and what the inbox did', async () => {
  const error = await Promise.resolve(rulesOf({ wrapsErrors: true, acceptsEnd: 'rolled back' })).catch(
    (thrown: AggregateError) => thrown,
  )

  expect(error).toBeInstanceOf(AggregateError)
  expect(String(error)).toBe(
    [
      'AggregateError: The inbox breaks 2 of 12 rules:',
      `- ${rollsBack}: process rejected with another error: Error: failed`,
      `- ${rollingBack}: process resolved to 'processed' although its callback ended the transaction`,
    ].join('\n'),
  )
})

it('messages name the key, and shorten a long one', async () => {
  await expect(run(keys, { key: (key) => key.toUpperCase() })).rejects.toThrow(
    /^distinguishes any two keys: process\(\{ key: "[-0-9a-f]{36} A" \}\) resolved to 'duplicate' instead of 'processed'$/,
  )
  await expect(run(keys, { key: (key) => key.slice(0, 255) })).rejects.toThrow(
    /^distinguishes any two keys: process\(\{ key: "[-0-9a-f]{36} k{42}\.\.\. \}\) resolved to 'duplicate'/,
  )
})

it('two inboxes are created for each rule, and none before', async () => {
  const { inbox, database } = inMemory()
  const makeInbox = vi.fn(async () => inbox)

  const checks = [...testInbox(makeInbox, database)]

  expect(makeInbox).not.toHaveBeenCalled()
  await checks[0]?.run()
  expect(makeInbox).toHaveBeenCalledTimes(2)
})

it('testInbox rejects a database that lacks a function', () => {
  const { inbox, database } = inMemory()

  for (const name of ['write', 'count', 'query', 'disconnect'])
    expect(() => testInbox(() => inbox, { ...database, [name]: undefined })).toThrow(
      `testInbox: database must be an InboxTestDatabase: it has no method ${name}`,
    )
  expect(() => testInbox(() => inbox, undefined as never)).toThrow(ConfigurationError)
})
