import { EventEmitter } from 'node:events'
import { expect, it, vi } from 'vitest'
import { timing } from '../../../src/runtime/timing.ts'
import { type RedisStoreOptions, redisStore } from '../../../src/stores-redis.ts'
import { StoreError } from '../../../src/webhooks.ts'
import { collect } from '../../support/collect.ts'
import { patient } from '../../support/patience.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { manualClock } from '../../support/timing.ts'

/** A script that a client was asked to run. */
interface Sent {
  readonly script: string
  readonly keys: readonly string[]
  readonly args: readonly string[]
}

type Reply = (sent: Sent) => unknown

const isScan = ({ script }: Sent) => script.includes("'SCAN'")

/** A client of node-redis with these members, which records the scripts that it is asked to run. */
function nodeRedis<Members extends object>(reply: Reply, members?: Members) {
  const sent: Sent[] = []
  const run = async (script: string, { keys = [] as string[], arguments: args = [] as string[] } = {}) => {
    const one = { script, keys, args }
    sent.push(one)
    return reply(one)
  }
  return Object.assign(new EventEmitter(), { isOpen: true, eval: run, sent }, members)
}

/** A client of ioredis with these members, which records the scripts that it is asked to run. */
function ioRedis<Members extends object>(reply: Reply, members?: Members) {
  const sent: Sent[] = []
  const run = async (script: string, count: number, ...rest: string[]) => {
    const one = { script, keys: rest.slice(0, count), args: rest.slice(count) }
    sent.push(one)
    return reply(one)
  }
  return Object.assign(new EventEmitter(), { status: 'ready', call() {}, eval: run, sent }, members)
}

const clients = [
  ['node-redis', nodeRedis],
  ['ioredis', ioRedis],
] as const

/** Replies to a scan with one page. */
const withKeys =
  (...keys: string[]): Reply =>
  (sent) =>
    isScan(sent) ? ['0', keys] : null

it.each(clients)('with %s, a read or deletion sends its key and no arguments', async (_, create) => {
  const client = create(({ script }) => (script.includes("'DEL'") ? 1 : null))
  const store = redisStore(client)

  await store.get('a')
  await store.take('b')
  await store.delete('c')

  expect(client.sent.map(({ keys, args }) => [keys, args])).toEqual([
    [['svc:{2c}a'], []],
    [['svc:{e5}b'], []],
    [['svc:{52}c'], []],
  ])
})

it('with a cluster of ioredis and automatic pipelines, each script has its own pipeline', async () => {
  // ioredis before 5.11 assigns what eval is called with to a pipeline by the text of the script.
  const outside = () => Promise.reject(new Error('All keys in the pipeline should belong to the same slots'))
  const { eval: run, sent } = ioRedis(({ keys }) => (keys[0]?.endsWith('bad') ? Promise.reject(oops) : '1'))
  const oops = new Error('WRONGTYPE Operation against a key')
  const pipeline = () => {
    const calls: Promise<readonly [error: unknown, result?: unknown]>[] = []
    return {
      eval(...args: Parameters<typeof run>) {
        calls.push(
          run(...args).then(
            (result) => [null, result],
            (error) => [error],
          ),
        )
        return this
      },
      exec: () => Promise.all(calls),
    }
  }
  const options = { enableAutoPipelining: true }
  const store = redisStore(ioRedis(outside, { eval: outside, isCluster: true, options, pipeline }))

  expect(await Promise.all([store.get('a'), store.get('b')])).toEqual(['1', '1'])
  expect(await thrownBy(store.get('bad'))).toMatchObject({ name: 'StoreError', original: oops })
  expect(sent).toHaveLength(3)
})

it.each(clients)(
  'with %s, scan checks that it reads no replica, and then requests only keys that start with the prefix',
  async (_, create) => {
    const client = create(withKeys())

    await collect(redisStore(client).scan('a'))

    const [check, ...scans] = client.sent
    expect(check).toMatchObject({ script: expect.stringContaining('GETEX'), keys: ['svc:'], args: [] })
    expect(scans.map(({ keys, args }) => [keys, args])).toEqual([
      [[], ['0', 'svc:{??}a*']],
      [[], ['0', 'svc:{??}\u0001*']],
    ])
  },
)

it.each([undefined, 'x', [], ['0'], ['0', 'svc:{2c}a'], ['0', [1]], ['0', ['svc:{2c}a', null]]])(
  'a scan that gets the reply %o, which is not a page of keys, is a StoreError',
  async (reply) => {
    const store = redisStore(nodeRedis((sent) => (isScan(sent) ? reply : null)))

    const error = await thrownBy(collect(store.scan('')))

    expect(error).toBeInstanceOf(StoreError)
    expect(error).toMatchObject({
      message: 'Redis returned a reply that SCAN does not return',
      mayHaveHappened: false,
    })
  },
)

it.each(['GETEX', 'SCAN'])('a scan that fails at %s is a StoreError', async (command) => {
  const fail = ({ script }: Sent) => {
    if (script.includes(command)) throw new Error('locked')
    return null
  }

  const error = await thrownBy(collect(redisStore(nodeRedis(fail)).scan('Ada')))

  expect(error).toBeInstanceOf(StoreError)
  expect(error).toMatchObject({
    message: 'Redis failed at scan: locked',
    mayHaveHappened: false,
  })
})

it.each([{ masters: ['a'] }, { nodeClient: () => expect.fail('not a cluster') }])(
  'scan lists the keys of a client of node-redis that is not a cluster, although it has %o',
  async (members) => {
    expect(await collect(redisStore(nodeRedis(withKeys('svc:{00}own'), members)).scan(''))).toEqual(['own'])
  },
)

it('scan lists the keys of every master of a cluster of ioredis, and not of its replicas', async () => {
  const nodes = (role: string) => {
    const masters = [ioRedis(withKeys('svc:{2c}a')), ioRedis(withKeys('svc:{e5}b'))]
    return role === 'master' ? masters : [...masters, ioRedis(withKeys('svc:{00}of a replica'))]
  }

  expect(await collect(redisStore(ioRedis(withKeys(), { nodes })).scan(''))).toEqual(['a', 'b'])
})

it.each([{}, { options: {} }])(
  'a client of node-redis with %o, which is reconnecting, gets a script when it is ready',
  async (members) => {
    const client = nodeRedis(() => null, { isReady: false, ...members })

    const reading = redisStore(client).get('key')
    await vi.waitUntil(() => client.listenerCount('ready') > 0, patient)
    expect(client.sent).toEqual([])
    client.emit('ready')

    expect(await reading).toBeNull()
  },
)

it.each([
  { isReady: false, options: { disableOfflineQueue: true } },
  { isReady: false, isOpen: false },
])('a client of node-redis with %o, which keeps no queue, gets every script at once', async (members) => {
  expect(await redisStore(nodeRedis(() => null, members)).get('key')).toBeNull()
})

it('a script that node-redis has not sent within the time limit is taken out of its queue', async () => {
  const clock = manualClock()
  const signals: AbortSignal[] = []
  const queue = nodeRedis(() => new Promise(() => {}))
  const client = nodeRedis(() => expect.fail('sent without a signal'), {
    withCommandOptions({ abortSignal }: { abortSignal: AbortSignal }) {
      signals.push(abortSignal)
      return queue
    },
  })
  const store = redisStore(client as never, { [timing]: clock.timing } as RedisStoreOptions)
  const failure = thrownBy(store.get('key'))

  await clock.advance(4_999)
  expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  await clock.advance(1)

  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  expect(await failure).toMatchObject({ message: expect.stringMatching(/^Redis did not respond to get/) })
})

it.each([undefined, 1_000])(
  'node-redis limits the time of a script only if the application has set a limit: %o',
  async (timeout) => {
    const limits: unknown[] = []
    const client = nodeRedis(() => null, {
      options: { commandOptions: { timeout } },
      // As redis 6 does, whose default is five seconds.
      withCommandOptions(options: object) {
        limits.push({ timeout: 5_000, ...options }.timeout)
        return client
      },
    })

    await redisStore(client as never).get('key')

    expect(limits).toEqual([timeout])
  },
)

it.each(['ready', 'end'])(
  'a script waits while ioredis is connecting, until it emits %s, and starts no connection of its own',
  async (event) => {
    const connect = vi.fn(async () => {})
    const client = ioRedis(() => null, { status: 'reconnecting', connect })

    const reading = redisStore(client).get('key')
    await vi.waitUntil(() => client.listenerCount(event) > 0, patient)
    expect(client.sent).toEqual([])
    client.emit(event)

    expect(await reading).toBeNull()
    expect(connect).not.toHaveBeenCalled()
  },
)

it('a script waits for a client of ioredis that has not started to connect and cannot be asked to', async () => {
  const client = ioRedis(() => null, { status: 'wait' })

  const reading = redisStore(client).get('key')
  await Promise.resolve()
  client.emit('ready')

  expect(await reading).toBeNull()
})

it('a negative result of node-redis is a result, because it never sends a script twice', async () => {
  const store = redisStore(nodeRedis(({ script }) => (script.includes('GETDEL') ? null : 0)))

  expect(await store.set('key', '1', { ifAbsent: true })).toBe(false)
  expect(await store.take('key')).toBeNull()
})
