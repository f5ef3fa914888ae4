import { inspect } from 'node:util'
import pg from 'pg'
import { beforeAll, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest'
import { timing } from '../../src/runtime/timing.ts'
import { type PostgresInboxOptions, postgresInbox, postgresInboxSql } from '../../src/stores-postgres.ts'
import { testInbox } from '../../src/stores-testing.ts'
import { ConfigurationError, createEventProcessor, type EventInbox, StoreError } from '../../src/webhooks.ts'
import { showOnlyOurWords } from '../support/error-detail.ts'
import { describeWith } from '../support/programs.ts'
import { responseLosingProxy } from '../support/response-losing-proxy.ts'
import { postgresOfTests } from '../support/store-clients.ts'
import { manualClock } from '../support/timing.ts'
import { anEvent } from '../support/webhook.ts'

showOnlyOurWords()

const retainMs = 604_800_000

/** Returns a promise and the function that resolves it. */
function aGate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

async function failureOf(call: Promise<unknown>): Promise<Error & { code?: string; cause?: unknown }> {
  return call.then(
    (result) => expect.fail(`resolved to ${result}`),
    (thrown: Error) => thrown,
  )
}

describeWith('postgres', 'that postgresInbox commits an event together with the writes of its callback', () => {
  const postgres = postgresOfTests()
  let tables = 0

  const poolOf = (config: pg.PoolConfig = {}) => {
    const pool = new pg.Pool({ connectionString: postgres.server.url, ...config }).on('error', () => {})
    onTestFinished(() => pool.end())
    return pool
  }

  /** An inbox with its own table, and a table of the app. */
  async function anInbox({ pool = poolOf(), ...more }: PostgresInboxOptions & { pool?: pg.Pool } = {}) {
    const n = ++tables
    const [table, app] = [`inbox_${n}`, `accounts_${n}`]
    await postgres.pool.query(`CREATE TABLE ${app} (id text)`)
    const options: PostgresInboxOptions = { table, ...more }
    const inbox = postgresInbox(pool, options)
    const count = async (name: string) =>
      Number((await postgres.pool.query(`SELECT count(*) FROM ${name}`)).rows[0].count)
    return {
      inbox,
      pool,
      table,
      write: (tx: pg.ClientBase, id = 'ada') => tx.query(`INSERT INTO ${app} VALUES ($1)`, [id]),
      insertion: `INSERT INTO ${app} VALUES ('ada')`,
      /** The numbers of rows that everyone sees. */
      rows: async () => ({ written: await count(app), events: await count(table) }),
    }
  }

  const rules = testInbox(() => postgresInbox(postgres.pool, { table: 'rules_inbox' }), {
    write: (tx, text) => tx.query('INSERT INTO effects VALUES ($1)', [text]),
    count: async (text) => (await postgres.pool.query('SELECT FROM effects WHERE text = $1', [text])).rows.length,
    query: (tx, statement) => tx.query(statement),
    disconnect: (tx) => tx.query('SELECT pg_terminate_backend(pg_backend_pid())'),
  })
  beforeAll(() => postgres.pool.query('CREATE TABLE effects (text text)'))
  for (const { name, run } of rules) it(`postgresInbox ${name}`, run)

  it('the next event of a pool of one connection is handled after that connection was read-only', async () => {
    const pool = poolOf({ max: 1 })
    const { inbox, write, rows } = await anInbox({ pool })
    await inbox.process({ key: 'evt_1', retainMs }, async ({ tx }) => void (await write(tx)))
    // As the connections of a pool are after a failover, to a server that is a standby by now.
    await pool.query('SET default_transaction_read_only = on')
    const handle = () => inbox.process({ key: 'evt_2', retainMs }, async ({ tx }) => void (await write(tx, 'bo')))

    expect(await failureOf(handle())).toMatchObject({ name: 'StoreError', cause: { code: '25006' } })
    expect(await handle()).toBe('processed')
    expect(await rows()).toEqual({ written: 2, events: 2 })
  })

  it('types tx as the client of the pool', async () => {
    const { inbox } = await anInbox()
    expectTypeOf(inbox).toEqualTypeOf<EventInbox<pg.PoolClient>>()
    createEventProcessor({
      inbox,
      on: { 'verification.approved': (_, { tx }) => expectTypeOf(tx).toEqualTypeOf<pg.PoolClient>() },
    })
  })

  it.each([
    ['commits', ['COMMIT']],
    ['commits, then begins again', ['COMMIT', 'BEGIN', 'write']],
    ['commits and chains', ['COMMIT AND CHAIN']],
    ['rolls back', ['ROLLBACK']],
    ['rolls back, then begins again', ['ROLLBACK', 'BEGIN', 'write']],
    ['ends the transaction by a failed statement that it ignores', ['nonsense', 'write']],
  ])('a callback that %s leaves nothing behind, and its event fails with 500', async (_, statements) => {
    const { inbox, write, insertion, rows } = await anInbox()
    const onError = vi.fn()
    const processor = createEventProcessor({
      inbox,
      onError,
      on: {
        'verification.approved': async (_event, { tx }) => {
          await write(tx)
          for (const text of statements) await tx.query(text === 'write' ? insertion : text).catch(() => {})
        },
      },
    })

    const result = await processor.process(anEvent() as never)

    expect(result).toMatchObject({ status: 500, outcome: 'failed', error: expect.any(ConfigurationError) })
    expect(onError).toHaveBeenCalledTimes(1)
    expect(await rows()).toEqual({ written: 0, events: 0 })
  })

  it('a callback may use savepoints for statements that may fail', async () => {
    const { inbox, write, rows } = await anInbox()
    const outcome = await inbox.process({ key: 'evt_1', retainMs }, async ({ tx }) => {
      await write(tx)
      await tx.query('SAVEPOINT one')
      await tx.query('nonsense').catch(() => tx.query('ROLLBACK TO one'))
    })
    expect(outcome).toBe('processed')
    expect(await rows()).toEqual({ written: 1, events: 1 })
  })

  it('a statement that a callback starts after its end is not run', async () => {
    const { inbox, write, rows } = await anInbox()
    const late = aGate()
    let leaked: Promise<unknown> | undefined
    const failing = inbox.process({ key: 'evt_1', retainMs }, async ({ tx }) => {
      leaked = late.opened.then(() => write(tx))
      throw new Error('the callback failed')
    })
    await failureOf(failing)
    late.open()
    await expect(leaked).rejects.toThrow('the transaction of this event has ended')
    expect(await rows()).toEqual({ written: 0, events: 0 })
  })

  it('a callback can neither release the connection nor does it lose its listeners', async () => {
    const { inbox, pool, write, rows } = await anInbox({ pool: poolOf({ max: 1 }) })
    const notices: string[] = []
    await inbox.process({ key: 'evt_1', retainMs }, async ({ tx }) => {
      tx.on('notice', ({ message }) => notices.push(String(message)))
      tx.release()
      await write(tx)
      await tx.query(`DO $$ BEGIN RAISE NOTICE 'noticed'; END $$`)
    })
    expect(notices).toEqual(['noticed'])
    expect([pool.totalCount, pool.idleCount]).toEqual([1, 1])
    expect(await rows()).toEqual({ written: 1, events: 1 })
  })

  it('a pool of two connections survives 200 duplicates of one slow event', async () => {
    const clock = manualClock()
    const { inbox, pool, write, rows } = await anInbox({
      pool: poolOf({ max: 2 }),
      [timing]: clock.timing,
    } as never)
    const finish = aGate()
    const work = async ({ tx }: { tx: pg.PoolClient }) => {
      await finish.opened
      await write(tx)
    }
    const first = inbox.process({ key: 'evt_1', retainMs }, work)
    const duplicates = Array.from({ length: 200 }, () => inbox.process({ key: 'evt_1', retainMs }, work))
    const others = Array.from({ length: 20 }, (_, i) =>
      inbox.process({ key: `other ${i}`, retainMs }, async ({ tx }) => void (await write(tx))),
    )
    expect(await Promise.all(others)).toEqual(others.map(() => 'processed'))
    // The deletion of expired events takes a connection too. Then only the slow event has one.
    await expect.poll(() => [pool.waitingCount, pool.idleCount]).toEqual([0, 1])

    await clock.advance(2_000)
    expect(await Promise.all(duplicates)).toEqual(duplicates.map(() => 'in_progress'))
    finish.open()
    expect(await first).toBe('processed')
    expect(clock.pending()).toBe(0)
    expect(await rows()).toEqual({ written: 21, events: 21 })
  })

  it.each<[name: string, config: (url: string) => pg.PoolConfig]>([
    ['query_timeout', () => ({ query_timeout: 1_500 })],
    ['statement_timeout', () => ({ statement_timeout: 1_500 })],
    ['query_timeout of the URL', (url) => ({ connectionString: `${url}?query_timeout=1500` })],
  ])('a duplicate of another process is in progress before a short %s ends its statement', async (_, config) => {
    const { inbox, table } = await anInbox()
    const another = postgresInbox(poolOf(config(postgres.server.url)), { table })
    const [started, finish] = [aGate(), aGate()]
    const first = inbox.process({ key: 'evt_1', retainMs }, async () => {
      started.open()
      await finish.opened
    })
    onTestFinished(finish.open)
    await started.opened

    const outcome = await another.process({ key: 'evt_1', retainMs }, async () => {})
    finish.open()

    expect(outcome).toBe('in_progress')
    expect(await first).toBe('processed')
  })

  it('the lock timeout of the inbox does not apply to statements of the callback', async () => {
    const { inbox } = await anInbox({ pool: poolOf({ options: '-c lock_timeout=7s' }) })
    await inbox.process({ key: 'evt_1', retainMs }, async ({ tx }) => {
      expect((await tx.query('SHOW lock_timeout')).rows).toEqual([{ lock_timeout: '7s' }])
    })
  })

  it('a duplicate is found under every isolation level', async () => {
    const level = 'serializable'
    const { inbox, pool, table, write, rows } = await anInbox({
      pool: poolOf({ options: `-c default_transaction_isolation=${level}` }),
    })
    const other = postgresInbox(pool, { table })
    for (let i = 0; i < 10; i++) {
      const outcomes = await Promise.all(
        [inbox, other].map((each) =>
          each.process({ key: `evt_${i}`, retainMs }, async ({ tx }) => void (await write(tx))),
        ),
      )
      expect(outcomes.sort()).toEqual(['duplicate', 'processed'])
    }
    expect(await rows()).toEqual({ written: 10, events: 10 })
  })

  it('a connection that is lost while a callback runs aborts its signal, and the event can come again', async () => {
    const { inbox, pool, write, rows } = await anInbox()
    const reasons: unknown[] = []
    const lost = inbox.process({ key: 'evt_1', retainMs }, async ({ tx, signal }) => {
      await write(tx)
      const { rows } = await tx.query('SELECT pg_backend_pid() AS pid')
      await postgres.pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
      // The loss may be noticed before the other connection has its response.
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      reasons.push(signal.reason)
    })

    const error = await failureOf(lost)
    expect(error).toBeInstanceOf(StoreError)
    expect(reasons).toEqual([error])
    expect(pool.totalCount).toBe(0)
    expect(await rows()).toEqual({ written: 0, events: 0 })
    expect(await inbox.process({ key: 'evt_1', retainMs }, async () => {})).toBe('processed')
  })

  it('a database that is down is a StoreError, and no callback runs', async () => {
    const work = vi.fn()
    const inbox = postgresInbox(poolOf({ connectionString: 'postgres://tester@127.0.0.1:1/postgres' }))
    const error = await failureOf(inbox.process({ key: 'evt_1', retainMs }, work))
    expect(error).toMatchObject({
      name: 'StoreError',
      mayHaveHappened: false,
      cause: { code: 'ECONNREFUSED' },
    })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('127.0.0.1')
    expect(work).not.toHaveBeenCalled()
  })

  it('a commit whose response is lost is a StoreError that may have happened, and commits once', async () => {
    const proxy = await responseLosingProxy(postgres.server.port)
    const url = new URL(postgres.server.url)
    url.port = String(proxy.port)
    const { inbox, write, rows } = await anInbox({ pool: poolOf({ connectionString: url.href }) })
    const error = await failureOf(
      inbox.process({ key: 'evt_1', retainMs }, async ({ tx }) => {
        await write(tx)
        const raw = Reflect.get(tx, 'connection')
        const { query } = raw
        raw.query = (text: string) => {
          if (text === 'COMMIT') proxy.loseResponse()
          return query.call(raw, text)
        }
      }),
    )
    expect(error).toMatchObject({ name: 'StoreError', mayHaveHappened: true })
    await expect.poll(rows).toEqual({ written: 1, events: 1 })
    expect(await inbox.process({ key: 'evt_1', retainMs }, async () => {})).toBe('duplicate')
  })

  it('a commit that gets no response in time is a StoreError, but a callback has no time limit', async () => {
    const clock = manualClock()
    const { inbox, write } = await anInbox({ [timing]: clock.timing } as never)
    let pid = 0
    const failure = failureOf(
      inbox.process({ key: 'evt_1', retainMs }, async ({ tx }) => {
        await write(tx)
        await clock.advance(60_000)
        pid = (await tx.query('SELECT pg_backend_pid() AS pid')).rows[0].pid
        process.kill(pid, 'SIGSTOP')
      }),
    )
    onTestFinished(() => void process.kill(pid, 'SIGCONT'))
    // The insertion has a time limit too. The one of the commit starts after the callback.
    await expect.poll(() => (pid > 0 ? clock.pending() : 0)).toBe(1)
    await clock.advance(5_000)
    expect(await failure).toMatchObject({
      name: 'StoreError',
      mayHaveHappened: true,
      message: 'Postgres did not respond to the commit of an event within 5000 ms (operationTimeoutMs)',
    })
  })

  it('a pool without a free connection is a StoreError after the time limit', async () => {
    const clock = manualClock()
    const { inbox, pool } = await anInbox({ pool: poolOf({ max: 1 }), [timing]: clock.timing } as never)
    const holder = await pool.connect()
    const failure = failureOf(inbox.process({ key: 'evt_1', retainMs }, async () => {}))
    await clock.advance(5_000)
    expect(await failure).toMatchObject({ name: 'StoreError', mayHaveHappened: false })
    holder.release()
    expect(await inbox.process({ key: 'evt_1', retainMs }, async () => {})).toBe('processed')
  })

  it('expired events are deleted with the first event after an hour, and others stay', async () => {
    const clock = manualClock()
    const { inbox, table } = await anInbox({ [timing]: clock.timing } as never)
    const keys = async () =>
      (await postgres.pool.query(`SELECT key FROM ${table} ORDER BY key`)).rows.map(({ key }) => key)
    await inbox.process({ key: 'first', retainMs }, async () => {})
    // The first event of a process deletes too. It is over when its connection is free.
    await expect.poll(clock.pending).toBe(0)
    await inbox.process({ key: 'short', retainMs: 1 }, async () => {})
    await clock.advance(3_599_999)
    await inbox.process({ key: 'second', retainMs }, async () => {})
    expect(await keys()).toEqual(['first', 'second', 'short'])
    await clock.advance(1)
    await inbox.process({ key: 'third', retainMs }, async () => {})
    await expect.poll(keys).toEqual(['first', 'second', 'third'])
  })

  it('expired events are deleted at least at every 1,000th event, however many there are', async () => {
    const { inbox, table } = await anInbox({ pool: poolOf({ max: 8 }) })
    const count = async () => Number((await postgres.pool.query(`SELECT count(*) FROM ${table}`)).rows[0].count)
    await inbox.process({ key: 'first', retainMs }, async () => {})
    await postgres.pool.query(
      `INSERT INTO ${table} SELECT 'old ' || n, now() - interval '1 second' FROM generate_series(1, 2500) n`,
    )
    const rest = Array.from({ length: 999 }, (_, i) => `event ${i}`)
    const next = async (): Promise<void> => {
      const key = rest.pop()
      if (key === undefined) return
      await inbox.process({ key, retainMs }, async () => {})
      return next()
    }
    await Promise.all(Array.from({ length: 8 }, next))
    expect(await count()).toBe(3_500)
    await inbox.process({ key: 'last', retainMs }, async () => {})
    await expect.poll(count).toBe(1_001)
  })

  it('concurrent inboxes create their tables, and all of them can use them', async () => {
    const pools = Array.from({ length: 8 }, () => poolOf())
    await Promise.all(pools.map((each) => each.query('SELECT 1')))
    for (let i = 0; i < 10; i++) {
      const outcomes = await Promise.all(
        pools.map((pool) =>
          postgresInbox(pool, { table: `raced_inbox_${i}` }).process({ key: '1', retainMs }, async () => {}),
        ),
      )
      expect(outcomes.filter((outcome) => outcome === 'processed')).toHaveLength(1)
    }
  })

  it('uses the tables of a migration, with a role that may not create tables', async () => {
    await postgres.pool.query('CREATE SCHEMA "Own"')
    await postgres.pool.query(postgresInboxSql('Own.events'))
    await postgres.pool.query(postgresInboxSql('Own.events'))
    await postgres.pool.query('CREATE ROLE inbox_guest LOGIN')
    await postgres.pool.query('GRANT USAGE ON SCHEMA "Own" TO inbox_guest')
    await postgres.pool.query('GRANT SELECT, INSERT, UPDATE, DELETE ON "Own".events TO inbox_guest')
    const pool = poolOf({ connectionString: postgres.server.url.replace('tester', 'inbox_guest') })
    for (const createTable of [true, false]) {
      const inbox = postgresInbox(pool, { table: 'Own.events', createTable })
      const entry = { key: `${createTable}`, retainMs }
      expect(await inbox.process(entry, async () => {})).toBe('processed')
      const committing = inbox.process({ key: '2', retainMs }, async ({ tx }) => void (await tx.query('COMMIT')))
      expect((await failureOf(committing)).message).toContain('callback_must_not_commit')
    }
  })

  it('a table that was dropped is created again by the next event', async () => {
    const { inbox, table } = await anInbox()
    await inbox.process({ key: '1', retainMs }, async () => {})
    await postgres.pool.query(`DROP TABLE ${table}`)
    expect(await failureOf(inbox.process({ key: '2', retainMs }, async () => {}))).toBeInstanceOf(StoreError)
    expect(await inbox.process({ key: '2', retainMs }, async () => {})).toBe('processed')
  })

  it('creates no table if createTable is false', async () => {
    const inbox = postgresInbox(postgres.pool, { table: 'absent_inbox', createTable: false })
    const failing = inbox.process({ key: '1', retainMs }, async () => {})
    expect(await failureOf(failing)).toMatchObject({ name: 'StoreError', cause: { code: '42P01' } })
  })
})

it('postgresInbox rejects a pool that is not one, and options with wrong values', () => {
  const pool = new pg.Pool()
  const create = (options: object) => () => postgresInbox(pool, options)
  expect(() => postgresInbox(new pg.Client() as never)).toThrow('postgresInbox: pool must be a Pool of pg 8')
  expect(() => postgresInbox(undefined as never)).toThrow(ConfigurationError)
  expect(create({ tables: 'x' })).toThrow(ConfigurationError)
  expect(create({ table: 'no name' })).toThrow('postgresInbox: table must be a name or schema.name')
  expect(create({ createTable: 1 })).toThrow('createTable must be true or false')
  expect(create({ operationTimeoutMs: 0 })).toThrow('postgresInbox: operationTimeoutMs must be')
})
