import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { ConfigurationError, configure, StoreError } from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { guardedStore } from '../../src/stores/operation.ts'
import type { Store } from '../../src/stores/store.ts'
import { collect } from '../support/collect.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { manualClock } from '../support/timing.ts'

type Operation = 'get' | 'set' | 'compareAndSet' | 'take' | 'delete' | 'compareAndDelete'

const operations: readonly [name: Operation, run: (store: Store) => Promise<unknown>][] = [
  ['get', (store) => store.get('k')],
  ['set', (store) => store.set('k', 'v', { ttlMs: 5, ifAbsent: true })],
  ['compareAndSet', (store) => store.compareAndSet('k', 'a', 'b', { ttlMs: 5 })],
  ['take', (store) => store.take('k')],
  ['delete', (store) => store.delete('k')],
  ['compareAndDelete', (store) => store.compareAndDelete('k', 'a')],
]

const withOperation = (operation: Operation, run: () => Promise<unknown>): Store => ({
  ...memoryStore(),
  [operation]: run,
})

it.each(operations)('reports a rejection of %s as a StoreError with the name of its store', async (name, run) => {
  const failing = withOperation(name, () => Promise.reject(new Error('down')))

  const error = await thrownBy(run(guardedStore('owner', failing, 'the store of claims')))

  expect(error).toBeInstanceOf(StoreError)
  expect(error).toMatchObject({
    message: `the store of claims failed at ${name}: down`,
    mayHaveHappened: name !== 'get',
  })
})

it.each(operations)('reports what %s throws synchronously as a StoreError', async (name, run) => {
  const failing = withOperation(name, () => {
    throw new TypeError('not connected')
  })

  await expect(run(guardedStore('owner', failing, 'the store'))).rejects.toBeInstanceOf(StoreError)
})

it.each(operations)('a safe error of %s shows no word of the store, and has what it threw', async (name, run) => {
  const thrown = Object.assign(new Error('/var/secret/store.db: "k" is locked by v'), {
    path: '/var/secret/store.db',
    code: 'EACCES',
    row: { key: 'k', value: 'secret' },
  })
  const failing = withOperation(name, () => Promise.reject(thrown))

  configure({ errorDetail: 'safe' })
  const error = await thrownBy(run(guardedStore('owner', failing, 'the store')))

  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret')
  expect(error).toMatchObject({
    message: `the store failed at ${name} (EACCES): for the message of the driver, read error.original, or set SVC_ERROR_DETAIL=full`,
    original: thrown,
    cause: { name: 'Error', code: 'EACCES' },
  })
})

it.each([
  [undefined, 'owner: store is missing: pass a Store, such as memoryStore() or redisStore(client)'],
  [{}, 'owner: store must be a Store, such as memoryStore() or redisStore(client): it has no method get'],
])('rejects the store %o with a message that says what to pass', (store, message) => {
  const create = () => guardedStore('owner', store as never, 'the store')

  expect(create).toThrow(new ConfigurationError({ message }))
})

it.each(operations)('passes every argument of %s to the store, and returns its result', async (name, run) => {
  const calls: unknown[][] = []
  const returned = ['get', 'take'].includes(name) ? 'v' : true
  const recorded = (...given: unknown[]) => {
    calls.push(given)
    return Promise.resolve(returned)
  }
  const plain: unknown[][] = []
  await run({ ...memoryStore(), [name]: async (...given: unknown[]) => void plain.push(given) })

  const result = await run(guardedStore('owner', { ...memoryStore(), [name]: recorded }, 'the store'))

  expect(result).toBe(returned)
  expect(calls.map((given) => given.filter((one) => one !== undefined))).toEqual(plain)
})

it.each(operations)('a store that does not respond to %s within five seconds is a StoreError', async (name, run) => {
  const clock = manualClock()
  const silent = withOperation(name, () => new Promise(() => {}))
  const failure = thrownBy(run(guardedStore('owner', silent, 'the store of claims', { timing: clock.timing })))

  await clock.advance(4_999)
  expect(clock.pending()).toBe(1)
  await clock.advance(1)

  const error = await failure
  expect(error).toBeInstanceOf(StoreError)
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({
    message: `the store of claims did not respond to ${name} within 5000 ms (operationTimeoutMs)`,
    mayHaveHappened: name !== 'get',
  })
  expect(clock.pending()).toBe(0)
})

it('a store sets its own time limit with operationTimeoutMs', async () => {
  const clock = manualClock()
  const silent = { ...withOperation('get', () => new Promise(() => {})), operationTimeoutMs: 20_000 }
  const failure = thrownBy(guardedStore('owner', silent, 'the store', { timing: clock.timing }).get('k'))

  await clock.advance(20_000)

  expect(String(await failure)).toContain('within 20000 ms')
})

it('leaves no timer behind after an operation, however it ends', async () => {
  const clock = manualClock()
  const succeeding = guardedStore('owner', { ...memoryStore() }, 'the store', { timing: clock.timing })
  const failing = guardedStore(
    'owner',
    withOperation('get', () => Promise.reject(new Error('down'))),
    'the store',
    { timing: clock.timing },
  )

  await succeeding.set('k', 'v')
  await thrownBy(failing.get('k'))

  expect(clock.timers).toEqual([5_000, 5_000])
  expect(clock.pending()).toBe(0)
})

it('ignores what comes of an operation after its time limit', async () => {
  const clock = manualClock()
  let fail = (_: Error) => {}
  const late = new Promise((_, reject) => {
    fail = reject
  })
  const store = withOperation('get', () => late)
  const failure = thrownBy(guardedStore('owner', store, 'the store', { timing: clock.timing }).get('k'))
  await clock.advance(5_000)

  fail(new Error('too late'))
  await clock.advance(0)

  expect(String(await failure)).toContain('did not respond')
})

it('passes scan on, and has none if the store has none', async () => {
  const store = memoryStore()
  await store.set('a1', '1')
  await store.set('b1', '1')
  const { scan: _, ...without } = memoryStore()

  expect(await collect(guardedStore('owner', store, 'the store').scan?.('a') ?? expect.fail())).toEqual(['a1'])
  expect(guardedStore('owner', without, 'the store').scan).toBeUndefined()
})

it('a scan that does not yield the next key within its time limit is a StoreError', async () => {
  const clock = manualClock()
  const silent: Store = {
    ...memoryStore(),
    async *scan() {
      yield 'a'
      await new Promise(() => {})
    },
  }
  const keys = guardedStore('owner', silent, 'the store', { timing: clock.timing }).scan?.('')[Symbol.asyncIterator]()
  expect(await keys?.next()).toEqual({ done: false, value: 'a' })
  const failure = thrownBy(keys?.next() ?? Promise.resolve())
  await clock.advance(5_000)

  expect(await failure).toMatchObject({
    message: 'the store did not respond to scan within 5000 ms (operationTimeoutMs)',
    mayHaveHappened: false,
  })
  expect(clock.pending()).toBe(0)
})

it('the time that the caller of a scan takes does not count', async () => {
  const clock = manualClock()
  const store = { ...memoryStore() }
  await store.set('a', '1')
  await store.set('b', '1')
  const found: string[] = []
  for await (const key of guardedStore('owner', store, 'the store', { timing: clock.timing }).scan?.('') ?? []) {
    await clock.advance(60_000)
    found.push(key)
  }
  expect(found).toEqual(['a', 'b'])
})

it('a scan that fails is a StoreError, and one that the caller leaves is ended', async () => {
  const ended: string[] = []
  const scanning = (run: () => AsyncGenerator<string>): Store => ({ ...memoryStore(), scan: run })
  const failing = scanning(() => {
    throw new Error('not connected')
  })
  const endless = scanning(async function* () {
    try {
      for (;;) yield 'a'
    } finally {
      ended.push('ended')
    }
  })

  await expect(collect(guardedStore('owner', failing, 'the store').scan?.('') ?? expect.fail())).rejects.toBeInstanceOf(
    StoreError,
  )
  for await (const _ of guardedStore('owner', endless, 'the store').scan?.('') ?? []) break
  await new Promise((resolve) => setImmediate(resolve))
  expect(ended).toEqual(['ended'])
})

it('adds no timers to a store that limits its operations itself, and adds them to a copy of it', async () => {
  const clock = manualClock()
  const store = memoryStore()

  await guardedStore('owner', store, 'the store', { timing: clock.timing }).get('k')
  expect(clock.timers).toEqual([])
  await guardedStore('owner', { ...store }, 'the store', { timing: clock.timing }).get('k')
  expect(clock.timers).toEqual([5_000])
})

const wrongResults = operations.flatMap(([name, run]) =>
  (['get', 'take'].includes(name) ? [undefined, 7, { value: 'v' }] : [undefined, 1, 'OK']).map(
    (wrong) => [name, wrong, run] as const,
  ),
)

it.each(wrongResults)(
  'a custom store that returns %s %j is a StoreError that says what it must return',
  async (...given) => {
    const [name, wrong, run] = given
    const store = withOperation(name, async () => wrong)

    const error = await thrownBy(run(guardedStore('owner', store, 'the store of claims')))

    expect(error).toMatchObject({ name: 'StoreError', mayHaveHappened: name !== 'get' })
    expect(String(error)).toMatch(
      new RegExp(`the store of claims returned .* from ${name}, and must return (a string or null|true or false)`),
    )
  },
)

it('a scan of a custom store that yields something else than keys is a StoreError', async () => {
  const scan = async function* () {
    yield 7 as unknown as string
  }
  const guarded = guardedStore('owner', { ...memoryStore(), scan }, 'the store of claims')

  await expect(collect(guarded.scan?.('') as AsyncIterable<string>)).rejects.toThrow(
    /returned an object from scan, and must return strings/,
  )
})
