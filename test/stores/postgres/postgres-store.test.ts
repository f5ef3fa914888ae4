import { expect, it } from 'vitest'
import { configure } from '../../../src/index.ts'
import { timing } from '../../../src/runtime/timing.ts'
import { type PostgresStoreOptions, postgresStore, StoreError } from '../../../src/stores-postgres.ts'
import { collect } from '../../support/collect.ts'
import { recordingLogger } from '../../support/recording-logger.ts'
import { scriptedPool } from '../../support/scripted-pool.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { manualClock } from '../../support/timing.ts'

const longKey = 'k'.repeat(1_025)
const hashedForm = '\u0001sha256:'
const failure = (code: string, message = 'failed') => Object.assign(new Error(message), { code })

/** A store on a clock that a test moves. */
function timedStore(pool: Parameters<typeof postgresStore>[0], options: PostgresStoreOptions = {}) {
  const clock = manualClock()
  return { clock, store: postgresStore(pool, { ...options, [timing]: clock.timing } as never) }
}

/** A store whose scan finds these rows in its first page. */
function scanning(...found: { key: string; pair?: string }[]) {
  const rows = found.map(({ key, pair = null }: { key: string; pair?: string | null }) => ({
    key,
    pair,
  }))
  const scripted = scriptedPool((text, [start]) => {
    if (!text.includes('key >= $1')) return undefined
    return { rows: rows.filter(({ key }) => key >= String(start)) }
  })
  const store = postgresStore(scripted.pool, { createTable: false })
  return { ...scripted, keys: (prefix: string) => collect(store.scan(prefix)) }
}

it.each([
  ['text', 'of another form'],
  ['an object', '{}'],
  ['an array without a value', '["key"]'],
  ['an array with a key that is not a text', '[5,"value"]'],
  ['an array with a value that is not a text', '["key",5]'],
])('a long key whose stored value is %s was not written by a Postgres store', async (_, value) => {
  const store = postgresStore({ query: async () => ({ rows: [{ live: 'true', value }] }) })
  expect(await thrownBy(store.get(longKey))).toEqual(
    new StoreError({ message: 'the stored value was not written by this store' }),
  )
})

it('the value of a long key must be a string', async () => {
  const store = postgresStore(scriptedPool().pool)
  expect(await thrownBy(store.set(longKey, 5 as never))).toEqual(
    new StoreError({ message: 'the value must be a string' }),
  )
})

it('scan skips rows of another program that look like long or escaped keys', async () => {
  const { keys } = scanning(
    { key: '\u0001not json' },
    { key: `${hashedForm}0`, pair: 'not json' },
    { key: `${hashedForm}1`, pair: '["key"]' },
    { key: `${hashedForm}2`, pair: JSON.stringify([longKey, 'value']) },
    { key: 'key' },
  )
  expect(await keys('k')).toEqual(['key', longKey])
  expect(await keys('')).toEqual([longKey, 'key'])
})

it('scan reads no page after the last key that starts with its prefix', async () => {
  const { keys, count } = scanning({ key: 'a1' }, { key: 'a2' }, { key: 'b' })
  expect(await keys('a')).toEqual(['a1', 'a2'])
  expect([count('key >= $1'), count('key > $1')]).toEqual([2, 0])
})

it('a failed scan is a StoreError that names it and shows no prefix', async () => {
  const { pool } = scriptedPool((text) => {
    if (text.includes('key >= $1')) throw new Error('the row of ada is damaged')
  })
  const scan = postgresStore(pool).scan('ada')
  const error = await thrownBy(scan[Symbol.asyncIterator]().next())
  expect(error).toBeInstanceOf(StoreError)
  expect(error).toMatchObject({
    message: expect.stringMatching(/^Postgres failed at scan/),
    mayHaveHappened: false,
  })
})

it.each([
  ['ERROR', false],
  ['FATAL', true],
  [undefined, true],
])('a write that ended in a Postgres error of severity %s may have happened: %s', async (severity, mayHaveHappened) => {
  const { pool } = scriptedPool((text) => {
    if (text.startsWith('INSERT')) throw Object.assign(failure('42501'), { severity })
  })
  expect(await thrownBy(postgresStore(pool).set('key', '1'))).toMatchObject({ mayHaveHappened })
})

it('a Postgres store creates its table again only if the table is absent', async () => {
  const failures = [failure('57014'), failure('42P01')]
  const { pool, count } = scriptedPool((text) => {
    const thrown = text.startsWith('SELECT value') ? failures.shift() : undefined
    if (thrown !== undefined) throw thrown
  })
  const store = postgresStore(pool)
  await thrownBy(store.get('key'))
  await thrownBy(store.get('key'))
  expect(count('CREATE TABLE')).toBe(1)
  await store.get('key')
  expect(count('CREATE TABLE')).toBe(2)
})

it('an operation that waits for a table that is not created in time had no effect', async () => {
  const { pool } = scriptedPool((text) => (text.startsWith('DO') ? new Promise(() => {}) : undefined))
  const { clock, store } = timedStore(pool)
  const first = thrownBy(store.set('key', '1'))
  await clock.advance(1)
  const second = thrownBy(store.set('key', '1'))
  await clock.advance(4_999)
  expect(await first).toMatchObject({ mayHaveHappened: true })
  expect(await second).toEqual(
    new StoreError({
      message: 'Postgres did not respond to the creation of its table within 5000 ms (operationTimeoutMs)',
      mayHaveHappened: false,
    }),
  )
  expect(await second).toMatchObject({ mayHaveHappened: false })
})

it('a later operation checks again whether writes are durable if the check failed', async () => {
  const responses = [failure('57014'), { rows: [] }, { rows: [{ value: 'off' }] }]
  const { pool, count } = scriptedPool((text) => {
    const response = text.includes('synchronous_commit') ? responses.shift() : undefined
    if (response instanceof Error) throw response
    return response
  })
  const { logger, warnings } = recordingLogger()
  configure({ logger })
  const { clock, store } = timedStore(pool)
  for (let i = 0; i < 4; i++) {
    await store.get('key')
    await clock.advance(0)
  }
  expect(count('synchronous_commit')).toBe(3)
  expect(warnings).toHaveLength(1)
})

it.each(['synchronous_commit', 'SKIP LOCKED'])(
  'a statement with %s, which no caller waits for, ends in time too',
  async (part) => {
    const { pool, clients } = scriptedPool((text) => (text.includes(part) ? new Promise(() => {}) : undefined))
    const { clock, store } = timedStore(pool)
    expect(await store.set('key', '1')).toBe(true)
    await clock.advance(5_000)
    expect(clients.filter(({ releases }) => releases[0] === true)).toHaveLength(1)
    expect(clients.map(({ releases }) => releases.length)).toEqual(clients.map(() => 1))
    expect(clock.pending()).toBe(0)
  },
)

it('a Postgres store leaves no listener on a connection that it returned', async () => {
  const { pool, clients } = scriptedPool()
  const { clock, store } = timedStore(pool)
  await store.set('key', '1')
  await clock.advance(0)
  expect(clients.length).toBeGreaterThan(1)
  for (const client of clients) expect([client.releases, client.eventNames()]).toEqual([[false], []])
})

it('a Postgres store uses query of a pool that lends no connections', async () => {
  const pool = { totalCount: 1, query: async () => ({ rows: [{ live: 'true', value: '1' }] }) }
  expect(await postgresStore(pool).get('key')).toBe('1')
})

it('a Postgres store uses query of a single client, and does not connect it', async () => {
  const connect = async () => expect.fail('the client is connected')
  const client = { connect, query: async () => ({ rows: [{ live: 'true', value: '1' }] }) }
  expect(await postgresStore(client).get('key')).toBe('1')
})
