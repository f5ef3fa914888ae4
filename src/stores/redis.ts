/**
 * A store in Redis, for state that processes share.
 *
 * @module identity-service-sdk/stores/redis
 */

import { checkOptionNames, type OptionNames } from '../errors/option-names.ts'
import { ConfigurationError, StoreError } from '../errors/sdk-error.ts'
import { driverError } from './driver-error.ts'
import { decode, encode } from './encode.ts'
import type { Store, StoreSetOptions, StoreTtlOptions } from './store.ts'
import { ttl } from './ttl.ts'

export { isSdkError } from '../errors/is-sdk-error.ts'
export { ConfigurationError, SdkError, StoreError } from '../errors/sdk-error.ts'
export type { ScannableStore, Store, StoreSetOptions, StoreTtlOptions } from './store.ts'

/** The part of a client, pool or cluster of node-redis 5 that the store uses. */
export interface NodeRedisClient {
  /** Distinguishes node-redis from ioredis. */
  readonly isOpen: boolean
  /** Runs a script. */
  eval(script: string, options?: { keys?: string[]; arguments?: string[] }): Promise<unknown>
}

/** The part of a client or cluster of ioredis 5 that the store uses. */
export interface IoRedisClient {
  /** State of the connection. */
  readonly status: string
  /** Adds a listener, for lost connections. */
  on(event: string, listener: () => void): unknown
  /** Runs a script. */
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** Options of a Redis store. They are read once. Later changes to the object have no effect. */
export interface RedisStoreOptions {
  /**
   * Prefix of every key in Redis. Stores with different prefixes do not see each other's keys, unless one prefix starts
   * with the other.
   *
   * @default 'svc:'
   * @throws {ConfigurationError} unless the value is a string without lone surrogates
   */
  readonly prefix?: string | undefined
}

const optionNames = { prefix: true } satisfies OptionNames<RedisStoreOptions>

/** Writes ARGV[1] for ARGV[2] milliseconds; '' means no expiry. A lifetime of 0 deletes, because Redis rejects it. */
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
 * Redis runs one script at a time, on the node that owns its key. GETEX reads as GET does, but counts as a write. A
 * replica rejects it, which is right, because a replica may not have the last writes yet.
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
 * Creates a {@link Store} in Redis, shared by all processes that use the same server and prefix. Each operation is
 * atomic, also in a cluster, because it is one script on one key. A failed operation rejects with {@link StoreError}.
 * Requires Redis 6.2 or later, or a compatible server.
 *
 * Redis replicates after it has responded, so a failover may lose the last writes. If a claim or a lock must survive a
 * failover, use Postgres. Set `maxmemory-policy noeviction`, because otherwise Redis may delete values before they
 * expire.
 *
 * @param client a connected client of node-redis 5 or ioredis 5. Add an `error` listener to it, because without one a
 *   lost connection may crash the process. Closing the client, and how long a call waits for a lost connection, is up
 *   to you
 * @throws {ConfigurationError} the client is of another kind, or the prefix has a wrong value
 *
 * @example
 * const client = await createClient({ url }).on('error', report).connect()
 * const handler = createWebhookHandler({ secret, store: redisStore(client), on: {} })
 */
export function redisStore(client: NodeRedisClient | IoRedisClient, options: RedisStoreOptions = {}): Store {
  checkOptionNames('redisStore', options, optionNames)
  const prefix = options.prefix ?? 'svc:'
  if (typeof prefix !== 'string' || !prefix.isWellFormed()) {
    throw new ConfigurationError({ message: 'prefix must be a string without lone surrogates' })
  }
  const runScript = scriptRunnerOf(client)

  const run = async (name: keyof typeof scripts, key: string, texts: string[] = [], ttl?: string) => {
    try {
      const [value, ...others] = texts.map((text) => encode(text, 'value'))
      const args = value === undefined ? [] : ttl === undefined ? [value] : [value, ttl, ...others]
      return await runScript(scripts[name], prefix + encode(key, 'key'), args)
    } catch (thrown) {
      const mayHaveHappened = name !== 'get'
      throw driverError(thrown, {
        engine: 'Redis',
        operation: name,
        texts: [key, ...texts],
        mayHaveHappened,
      })
    }
  }

  /**
   * Runs a script and returns its result. A negative result is an error if the connection was lost during the call,
   * because then the driver may have run the script twice, and the first run may have succeeded.
   */
  const certain = async <T>(
    read: (reply: unknown) => T,
    negative: T,
    call: () => Promise<unknown>,
  ): Promise<T> => {
    const before = runScript.disconnects()
    const result = read(await call())
    if (result !== negative || runScript.disconnects() === before) return result
    throw new StoreError({
      message:
        'The connection to Redis was lost during the call, so the operation may or may not have taken effect',
    })
  }
  const isDone = (call: () => Promise<unknown>) => certain(booleanOf, false, call)

  return {
    async get(key: string) {
      return valueOrNull(await run('get', key))
    },
    async set(key: string, value: string, { ttlMs, ifAbsent }: StoreSetOptions = {}) {
      const wholeTtl = String(ttl(ttlMs) ?? '')
      return isDone(() => run(ifAbsent === true ? 'setIfAbsent' : 'set', key, [value], wholeTtl))
    },
    async compareAndSet(key: string, expected: string, value: string, { ttlMs }: StoreTtlOptions = {}) {
      const wholeTtl = String(ttl(ttlMs) ?? '')
      return isDone(() => run('compareAndSet', key, [value, expected], wholeTtl))
    },
    async take(key: string) {
      return certain(valueOrNull, null, () => run('take', key))
    },
    async delete(key: string) {
      return isDone(() => run('delete', key))
    },
    async compareAndDelete(key: string, expected: string) {
      return isDone(() => run('compareAndDelete', key, [expected]))
    },
  }
}

const valueOrNull = (reply: unknown): string | null => (reply === null ? null : decode(reply))

/** A client may be configured to return numbers as strings. */
function booleanOf(reply: unknown): boolean {
  if (String(reply) === '1') return true
  if (String(reply) === '0') return false
  throw new StoreError({ message: 'Redis returned a reply that no script of this store returns' })
}

interface ScriptRunner {
  (script: string, key: string, args: string[]): Promise<unknown>
  /** How often a connection was lost so far, after which the driver may have sent a script again. */
  disconnects(): number
}

function scriptRunnerOf(client: NodeRedisClient | IoRedisClient): ScriptRunner {
  const given: object | null = typeof client === 'object' ? client : null
  const hasMethod = (name: string) =>
    given !== null && typeof (given as Record<string, unknown>)[name] === 'function'
  if (given !== null && hasMethod('eval') && hasMethod('call') && hasMethod('on')) {
    const ioredis = client as IoRedisClient
    const disconnects = disconnectsOf(ioredis)
    const run = (script: string, key: string, args: string[]) => ioredis.eval(script, 1, key, ...args)
    return Object.assign(run, { disconnects: () => disconnects.count })
  }
  if (given !== null && hasMethod('eval') && 'isOpen' in given) {
    const nodeRedis = client as NodeRedisClient
    const run = (script: string, key: string, args: string[]) =>
      nodeRedis.eval(script, { keys: [key], arguments: args })
    // node-redis never resends a command that may have arrived.
    return Object.assign(run, { disconnects: () => 0 })
  }
  throw new ConfigurationError({ message: 'client must be a client of node-redis 5 or ioredis 5' })
}

const disconnectsByClient = new WeakMap<IoRedisClient, { count: number }>()

/**
 * Counts the lost connections of an ioredis client. If the connection is lost before the reply, ioredis sends a script
 * again. The second run then finds the effect of the first: the value is already taken, or the key exists.
 */
function disconnectsOf(client: IoRedisClient): { readonly count: number } {
  const counted = disconnectsByClient.get(client)
  if (counted) return counted
  const disconnects = { count: 0 }
  disconnectsByClient.set(client, disconnects)
  // A client emits 'close'. A cluster emits '-node' for each of its clients.
  for (const event of ['close', '-node']) {
    client.on(event, () => {
      disconnects.count++
    })
  }
  return disconnects
}
