import { expect, it, vi } from 'vitest'
import { timing } from '../../../src/runtime/timing.ts'
import {
  ConfigurationError,
  type PostgresInboxOptions,
  postgresInbox,
  StoreError,
  type TransactionContext,
} from '../../../src/stores-postgres.ts'
import { type ScriptedClient, scriptedPool } from '../../support/scripted-pool.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { manualClock } from '../../support/timing.ts'

const entry = { key: 'evt_1', retainMs: 604_800_000 }
const noWork = async () => {}
const never = new Promise<never>(() => {})
const failure = (code: string, message: string) => Object.assign(new Error(message), { code })

/** An inbox on a clock that a test moves. */
function anInbox(respond?: Parameters<typeof scriptedPool>[0], options: PostgresInboxOptions = {}) {
  const scripted = scriptedPool(respond)
  const clock = manualClock()
  const own = { createTable: false, ...options, [timing]: clock.timing }
  return { ...scripted, clock, inbox: postgresInbox(scripted.pool, own) }
}

/** Responds with an error to statements that start with a text. */
const failingAt = (start: string, thrown: Error) => (text: string) => {
  if (text.startsWith(start)) throw thrown
}

/** The work of an event, which runs until a test ends it. */
function aRun() {
  const { promise, resolve, reject } = deferred()
  const work = vi.fn(() => promise)
  return { work, end: resolve, fail: reject }
}

function deferred() {
  let [resolve, reject] = [() => {}, (_: Error) => {}]
  const promise = new Promise<void>((onEnd, onFailure) => {
    resolve = onEnd
    reject = onFailure
  })
  return { promise, resolve, reject }
}

it('an event whose connection fails before its callback is a StoreError', async () => {
  const { inbox } = anInbox(failingAt('INSERT', new Error('the disk is full')))
  expect(await thrownBy(inbox.process(entry, noWork))).toMatchObject({
    name: 'StoreError',
    message: 'Postgres failed at the insertion of an event: the disk is full',
    mayHaveHappened: false,
  })
})

it.each(['UPDATE', 'COMMIT'])('an event whose %s fails is a StoreError, and it may be committed', async (statement) => {
  const { inbox, clients } = anInbox(failingAt(statement, failure('57P01', 'the server stops')))
  expect(await thrownBy(inbox.process(entry, noWork))).toMatchObject({
    name: 'StoreError',
    message: 'Postgres failed at the commit of an event (57P01): the server stops',
    mayHaveHappened: true,
  })
  expect(clients.map(({ releases }) => releases)).toEqual([[true]])
})

it.each([
  ['25006', 'cannot execute INSERT in a read-only transaction'],
  ['57P01', 'terminating connection'],
  ['42501', 'permission denied'],
])('a connection on which an event cannot be inserted is closed (%s)', async (code, message) => {
  const { inbox, clients } = anInbox(failingAt('INSERT', failure(code, message)))
  expect(await thrownBy(inbox.process(entry, noWork))).toBeInstanceOf(StoreError)
  expect(clients.map(({ releases }) => releases)).toEqual([[true]])
})

it.each([
  ['55P03', 'canceling statement due to lock timeout'],
  ['40001', 'could not serialize access'],
  ['40P01', 'deadlock detected'],
])('a connection on which an event waits for another transaction is kept (%s)', async (code, message) => {
  const { inbox, clients, count } = anInbox(failingAt('INSERT', failure(code, message)))
  await inbox.process(entry, noWork).catch(() => {})
  expect(new Set(clients.flatMap(({ releases }) => releases))).toEqual(new Set([false]))
  expect(count('ROLLBACK')).toBe(clients.length)
})

it('an event whose callback ended the transaction fails with an error that says what to do', async () => {
  const { inbox } = anInbox((text) => (text.startsWith('UPDATE') ? { rows: [] } : undefined))
  const error = await thrownBy(inbox.process(entry, noWork))
  expect(error).toBeInstanceOf(ConfigurationError)
  expect(error).toEqual(
    new ConfigurationError({
      message:
        'postgresInbox: a callback ended the transaction of its event (COMMIT, ROLLBACK or the transaction function of ' +
        'a library), so the event was not recorded. Use savepoints in callbacks, and let the inbox end the transaction.',
    }),
  )
})

it('an event whose callback ignored a failed statement fails with an error that says what to do', async () => {
  const { inbox } = anInbox(failingAt('UPDATE', failure('25P02', 'current transaction is aborted')))
  const error = await thrownBy(inbox.process(entry, noWork))
  expect(error).toBeInstanceOf(ConfigurationError)
  expect(error).toEqual(
    new ConfigurationError({
      message:
        'postgresInbox: a statement of a callback failed and the callback caught its error, so Postgres can only roll the ' +
        'transaction back. Let the callback throw, or run a statement that may fail after a SAVEPOINT.',
    }),
  )
})

it('an event whose connection is lost is a StoreError with the reason, and its connection is closed', async () => {
  const { inbox, clients, statements } = anInbox()
  const lose = (message: string) => async () => void clients.at(-1)?.emit('error', new Error(message))
  const error = await thrownBy(inbox.process(entry, lose('Connection terminated')))
  expect(error).toBeInstanceOf(StoreError)
  expect(error).toMatchObject({
    message:
      'The connection to Postgres was lost while the callback of an event ran, so its transaction was rolled back. ' +
      'The event can be delivered again.',
    mayHaveHappened: false,
    cause: {
      name: 'StoreError',
      message: 'Postgres failed at the callback of an event: Connection terminated',
      mayHaveHappened: false,
    },
  })
  expect(clients.map(({ releases }) => releases)).toEqual([[true]])
  expect(statements.filter((text) => text.startsWith('UPDATE'))).toEqual([])
})

it('a rollback that gets no response ends in time, and the event fails with the error of its callback', async () => {
  const { inbox, clients, clock } = anInbox((text) => (text === 'ROLLBACK' ? never : undefined))
  const thrown = new Error('the callback failed')
  const failing = thrownBy(inbox.process(entry, () => Promise.reject(thrown)))
  await clock.advance(4_999)
  expect(clients[0]?.releases).toEqual([])
  await clock.advance(1)
  expect(await failing).toBe(thrown)
  expect(clients[0]?.releases).toEqual([true])
})

it('a duplicate waits at most half of operationTimeoutMs, and at most two seconds', async () => {
  for (const [operationTimeoutMs, waitMs] of [
    [1_001, 501],
    [60_000, 2_000],
  ]) {
    const { inbox, count, clock } = anInbox(undefined, { operationTimeoutMs })
    const { work, end } = aRun()
    const first = inbox.process(entry, work)
    const outcomes: string[] = []
    const second = inbox.process(entry, noWork).then((outcome) => outcomes.push(outcome))
    await clock.advance(Number(waitMs) - 1)
    expect(outcomes).toEqual([])
    await clock.advance(1)
    await second
    expect(outcomes).toEqual(['in_progress'])
    expect(count(`lock_timeout = ${waitMs}`)).toBe(1)
    end()
    expect(await first).toBe('processed')
  }
})

it('duplicates of an event that commits in the same process are duplicates without a connection', async () => {
  const { inbox, count, clock } = anInbox()
  const { work, end } = aRun()
  const calls = [work, noWork, noWork].map((each) => inbox.process(entry, each))
  await clock.advance(100)
  end()
  expect(await Promise.all(calls)).toEqual(['processed', 'duplicate', 'duplicate'])
  expect(count('BEGIN')).toBe(1)
  expect(await inbox.process(entry, noWork)).toBe('processed')
  expect(count('BEGIN')).toBe(2)
})

it('a duplicate runs if the event before it failed or was in progress elsewhere, with what is left of its wait', async () => {
  const { inbox, count, clock } = anInbox()
  const { work, fail } = aRun()
  const failing = thrownBy(inbox.process(entry, work))
  const second = inbox.process(entry, noWork)
  await clock.advance(500)
  fail(new Error('the callback failed'))
  await failing
  expect(await second).toBe('processed')
  expect(count('lock_timeout = 1500')).toBe(1)

  const elsewhere = [failure('55P03', 'canceling statement due to lock timeout')]
  const locked = anInbox((text) => {
    const thrown = text.startsWith('INSERT') ? elsewhere.shift() : undefined
    if (thrown !== undefined) throw thrown
  })
  const outcomes = [noWork, noWork].map((each) => locked.inbox.process(entry, each))
  expect(await Promise.all(outcomes)).toEqual(['in_progress', 'processed'])
})

it('expired events are deleted after the first processed event, also in a process that is hours old', async () => {
  const duplicates = [{ rows: [] }]
  const { inbox, count, clock } = anInbox((text) => (text.startsWith('INSERT') ? duplicates.shift() : undefined))
  const deletions = async () => {
    await clock.advance(0)
    return count('SKIP LOCKED')
  }
  clock.passTime(7_200_000)
  expect(await inbox.process(entry, noWork)).toBe('duplicate')
  expect(await deletions()).toBe(0)
  for (let i = 0; i < 3; i++) expect(await inbox.process(entry, noWork)).toBe('processed')
  expect(await deletions()).toBe(1)
  await clock.advance(3_600_000)
  expect(await inbox.process(entry, noWork)).toBe('processed')
  expect(await deletions()).toBe(2)
})

it('a deletion of expired events that gets no response ends in time', async () => {
  const { inbox, clients, clock } = anInbox((text) => (text.includes('SKIP LOCKED') ? never : undefined))
  expect(await inbox.process(entry, noWork)).toBe('processed')
  await clock.advance(5_000)
  expect(clients.map(({ releases }) => releases)).toEqual([[false], [true]])
  expect(clock.pending()).toBe(0)
})

it('tx has the members of the connection, and each method works on the connection itself', async () => {
  const { inbox, clients } = anInbox()
  await inbox.process(entry, async ({ tx }) => {
    expect(tx.constructor).toBe(clients[0]?.constructor)
    expect(tx.processID).toBe(7)
    const { describe } = tx
    expect([tx.describe(), describe()]).toEqual(['a connection', 'a connection'])
    tx.release(true)
    expect(tx.releases).toEqual([])
  })
  expect(clients[0]?.releases).toEqual([false])
})

it('a statement on tx after the end of the callback fails with an error that says what to do', async () => {
  const { inbox, statements } = anInbox()
  let kept: TransactionContext<ScriptedClient>['tx'] | undefined
  await inbox.process(entry, async ({ tx }) => {
    kept = tx
  })
  expect(() => kept?.query('INSERT late')).toThrow(
    new ConfigurationError({
      message:
        'postgresInbox: the transaction of this event has ended, so tx runs no more statements. ' +
        'Await every statement in the callback.',
    }),
  )
  expect(statements).not.toContain('INSERT late')
})
