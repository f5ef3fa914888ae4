/**
 * State that processes share, in Redis.
 *
 * @module identity-service-sdk/stores/redis
 */

import { ConfigurationError, StoreError } from '../errors/sdk-error.ts'
import { driverError } from './driver-error.ts'
import { decode, encode } from './encode.ts'
import type { Store, StoreSetOptions, StoreTtlOptions } from './store.ts'
import { ttl } from './ttl.ts'

export { ConfigurationError, isSdkError, SdkError, StoreError } from '../errors/sdk-error.ts'
export type { Store, StoreSetOptions, StoreTtlOptions } from './store.ts'

/** What is used of a client, pool or cluster of node-redis 5 (`createClient` and its kin). */
export interface NodeRedisClient {
  /** Tells node-redis from ioredis. */
  readonly isOpen: boolean
  /** Runs a script. */
  eval(script: string, options?: { keys?: string[]; arguments?: string[] }): Promise<unknown>
}

/** What is used of a client or cluster of ioredis 5. */
export interface IoRedisClient {
  /** Where the connection stands. */
  readonly status: string
  /** Tells of lost connections. */
  on(event: string, listener: () => void): unknown
  /** Runs a script. */
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** Read once, when the store is made. */
export interface RedisStoreOptions {
  /**
   * Begins each key in Redis. Stores with different prefixes do not see each other's keys, unless one prefix
   * begins with the other.
   *
   * @default 'svc:'
   * @throws {ConfigurationError} unless a string without halves of surrogate pairs
   */
  readonly prefix?: string | undefined
}

/** Writes ARGV[1] for ARGV[2] milliseconds; '' is for ever. Redis refuses a lifetime of 0. */
const write = `
local function write()
  if ARGV[2] == '' then
    redis.call('SET', KEYS[1], ARGV[1])
  elseif ARGV[2] == '0' then
    redis.call('DEL', KEYS[1])
  else
    redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  end
  return 1
end`

/**
 * Redis runs a script alone, on the one node that owns its key. GETEX reads as GET does, but counts as a write: a
 * replica, which may not know yet what was written, refuses it.
 */
const scripts = {
  get: `return redis.call('GETEX', KEYS[1])`,
  set: `${write}
return write()`,
  setIfAbsent: `${write}
if redis.call('GETEX', KEYS[1]) then return 0 end
return write()`,
  compareAndSet: `${write}
if redis.call('GETEX', KEYS[1]) ~= ARGV[3] then return 0 end
return write()`,
  take: `return redis.call('GETDEL', KEYS[1])`,
  delete: `return redis.call('DEL', KEYS[1])`,
  compareAndDelete: `if redis.call('GETEX', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`,
}

/**
 * A {@link Store} in Redis, shared by all processes that use the same server and prefix. Each operation is one
 * script on one key, so it is atomic, also in a cluster. A failure rejects with {@link StoreError}. Needs Redis 6.2
 * or later, or what speaks as it does.
 *
 * Redis replicates after it has answered: a failover may lose the last writes. Where a claim or a lock must
 * outlive that, use Postgres. Set `maxmemory-policy noeviction`, or values vanish before their time.
 *
 * @param client a connected client of node-redis 5 or ioredis 5, with an `error` listener of yours; closing it
 *   is yours too. How long a call waits for a lost connection is a setting of the client
 * @throws {ConfigurationError} another kind of client, or a prefix that cannot work
 *
 * @example
 * const client = await createClient({ url }).on('error', report).connect()
 * const handler = createWebhookHandler({ secret, store: redisStore(client), on: {} })
 */
export function redisStore(client: NodeRedisClient | IoRedisClient, options: RedisStoreOptions = {}): Store {
  const prefix = options.prefix ?? 'svc:'
  if (typeof prefix !== 'string' || !prefix.isWellFormed()) {
    throw new ConfigurationError('prefix must be a string without halves of surrogate pairs')
  }
  const evaluate = evaluatorOf(client)

  const run = async (name: keyof typeof scripts, key: string, texts: string[] = [], ttl?: string) => {
    try {
      const [value, ...others] = texts.map((text) => encode(text, 'value'))
      const args = value === undefined ? [] : ttl === undefined ? [value] : [value, ttl, ...others]
      return await evaluate(scripts[name], prefix + encode(key, 'key'), args)
    } catch (thrown) {
      throw driverError('Redis', name, thrown, [key, ...texts])
    }
  }

  /** Holds a script's "no" against what may have happened to it on its way. */
  const decide = async <T>(
    read: (reply: unknown) => T,
    no: T,
    answer: () => Promise<unknown>,
  ): Promise<T> => {
    const before = evaluate.losses()
    const result = read(await answer())
    if (result !== no || evaluate.losses() === before) return result
    throw new StoreError('Redis was lost while the call was under way: whether it took effect is not known')
  }
  const whether = (answer: () => Promise<unknown>) => decide(yesOrNo, false, answer)

  return {
    async get(key: string) {
      return valueOrNull(await run('get', key))
    },
    async set(key: string, value: string, { ttlMs, ifAbsent }: StoreSetOptions = {}) {
      const wholeTtl = String(ttl(ttlMs) ?? '')
      return whether(() => run(ifAbsent === true ? 'setIfAbsent' : 'set', key, [value], wholeTtl))
    },
    async compareAndSet(key: string, expected: string, value: string, { ttlMs }: StoreTtlOptions = {}) {
      const wholeTtl = String(ttl(ttlMs) ?? '')
      return whether(() => run('compareAndSet', key, [value, expected], wholeTtl))
    },
    async take(key: string) {
      return decide(valueOrNull, null, () => run('take', key))
    },
    async delete(key: string) {
      return whether(() => run('delete', key))
    },
    async compareAndDelete(key: string, expected: string) {
      return whether(() => run('compareAndDelete', key, [expected]))
    },
  }
}

const valueOrNull = (reply: unknown): string | null => (reply === null ? null : decode(reply))

/** Clients can be told to give numbers as strings. */
function yesOrNo(reply: unknown): boolean {
  if (String(reply) === '1') return true
  if (String(reply) === '0') return false
  throw new StoreError('Redis gave an answer that no script of this store gives')
}

interface Evaluator {
  (script: string, key: string, args: string[]): Promise<unknown>
  /** How many connections have been lost so far that a script may have been sent over twice. */
  losses(): number
}

function evaluatorOf(client: NodeRedisClient | IoRedisClient): Evaluator {
  const given: object | null = typeof client === 'object' ? client : null
  const can = (name: string) =>
    given !== null && typeof (given as Record<string, unknown>)[name] === 'function'
  if (given !== null && can('eval') && can('call') && can('on')) {
    const ioredis = client as IoRedisClient
    const losses = lossesOf(ioredis)
    const evaluate = (script: string, key: string, args: string[]) => ioredis.eval(script, 1, key, ...args)
    return Object.assign(evaluate, { losses: () => losses.count })
  }
  if (given !== null && can('eval') && 'isOpen' in given) {
    const nodeRedis = client as NodeRedisClient
    const evaluate = (script: string, key: string, args: string[]) =>
      nodeRedis.eval(script, { keys: [key], arguments: args })
    // It never sends again what may have arrived.
    return Object.assign(evaluate, { losses: () => 0 })
  }
  throw new ConfigurationError('the client must be one of node-redis 5 or ioredis 5')
}

const counted = new WeakMap<IoRedisClient, { count: number }>()

/**
 * ioredis sends a script again when the connection was lost before its answer. Then the second run sees what the
 * first one did: the value is taken already, the key is there.
 */
function lossesOf(client: IoRedisClient): { readonly count: number } {
  const known = counted.get(client)
  if (known) return known
  const losses = { count: 0 }
  counted.set(client, losses)
  // A client says 'close', a cluster '-node' for each of its clients.
  for (const event of ['close', '-node']) {
    client.on(event, () => {
      losses.count++
    })
  }
  return losses
}
