/**
 * A store in Redis, for state that processes share.
 *
 * @module identity-service-sdk/stores/redis
 */

// So that what the entries share is one file of the build.
import '../index.ts'

import type { ErrorDetail } from '../errors/error-detail.ts'
import { checkOptions, errorDetailRule, type OptionRules, timeSpan } from '../errors/options.ts'
import { StoreError } from '../errors/sdk-error.ts'
import { realTiming, type Timing, timing } from '../runtime/timing.ts'
import { decode, encode, keyWithPrefix, storedStarts, ttl } from './encode.ts'
import { defaultTimeoutMs, type EngineLimit, limitingItself, runOperation } from './operation.ts'
import {
  type IoRedisClient,
  type NodeRedisClient,
  type RedisConnection,
  type RunScript,
  redisConnection,
} from './redis-client.ts'
import type { ScannableStore, StoreSetOptions, StoreTimeLimit, StoreTtlOptions } from './store.ts'

export { isSdkError } from '../errors/any-sdk-error.ts'
export { ConfigurationError, SdkError, StoreError } from '../errors/sdk-error.ts'
export type { IoRedisClient, NodeRedisClient } from './redis-client.ts'
export type { ScannableStore, Store, StoreSetOptions, StoreTimeLimit, StoreTtlOptions } from './store.ts'

/** Options of a Redis store. They are read once. Later changes to the object have no effect. */
export interface RedisStoreOptions extends StoreTimeLimit {
  /**
   * Prefix of every key in Redis. Stores with different prefixes do not see each other's keys, unless one prefix starts
   * with the other.
   *
   * @default 'svc:'
   * @throws {ConfigurationError} unless the value is a string without lone surrogates
   */
  readonly prefix?: string | undefined

  /**
   * Whether errors show what the driver threw: `'safe'` shows its class and its code only. It can always be read:
   * `error.original`.
   *
   * @default env `SVC_ERROR_DETAIL`, otherwise `'full'` if `NODE_ENV` is `development` or `test`, and `'safe'` if not
   */
  readonly errorDetail?: ErrorDetail | undefined
}

const optionRules = {
  prefix: {
    form: 'be a string without lone surrogates',
    allows: (value) => typeof value === 'string' && value.isWellFormed(),
  },
  errorDetail: errorDetailRule,
  operationTimeoutMs: timeSpan,
} satisfies OptionRules<RedisStoreOptions>

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

/** Returns the next cursor and some keys. */
const scan = `return redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', 500)`

/** The keys of a store: those of a Redis that start with a prefix. */
class RedisKeys {
  readonly #connection: RedisConnection
  readonly #prefix: string
  readonly #limit: EngineLimit

  constructor(connection: RedisConnection, prefix: string, limit: EngineLimit) {
    this.#connection = connection
    this.#prefix = prefix
    this.#limit = limit
  }

  /** Runs a script on a key. */
  run(name: keyof typeof scripts, key: string, texts: string[] = [], ttl?: string): Promise<unknown> {
    return this.#limited(name, async (signal) => {
      const [value, ...others] = texts.map((text) => encode(text, 'value'))
      const args = value === undefined ? [] : ttl === undefined ? [value] : [value, ttl, ...others]
      return this.#connection.run(scripts[name], [this.#prefix + encode(key, 'key')], args, signal)
    })
  }

  /**
   * Runs a script and returns its result. A negative result is an error if the connection was lost during the call,
   * because then the driver may have run the script twice, and the first run may have succeeded.
   */
  async certain<T>(read: (reply: unknown) => T, negative: T, call: () => Promise<unknown>): Promise<T> {
    const before = this.#connection.disconnects()
    const result = read(await call())
    if (result !== negative || this.#connection.disconnects() <= before) return result
    throw new StoreError({
      message:
        'The connection to Redis was lost during the call, so the operation may or may not have taken effect',
      mayHaveHappened: true,
    })
  }

  /** The same for a script that returns whether it did something. */
  isDone(...script: Parameters<RedisKeys['run']>): Promise<boolean> {
    return this.certain(booleanOf, false, () => this.run(...script))
  }

  /** Yields the keys with a prefix, on all servers. */
  async *scan(start: string): AsyncGenerator<string> {
    const primaries = await this.#limited('scan', async (signal) => {
      // A replica rejects this, but not SCAN.
      await this.#connection.run(scripts.get, [this.#prefix], [], signal)
      return this.#connection.primaries()
    })
    for (const runScript of primaries) {
      for (const each of storedStarts(start)) {
        for await (const stored of this.#storedKeys(runScript, each)) {
          const key = keyWithPrefix(stored, start)
          if (key !== undefined) yield key
        }
      }
    }
  }

  /** Yields the stored forms of keys on one server that start with a text. */
  async *#storedKeys(runScript: RunScript, start: string): AsyncGenerator<string> {
    const before = this.#connection.keyPrefix + this.#prefix
    const pattern = `${escapeGlob(before + start)}*`
    let cursor = '0'
    do {
      const reply = await this.#limited('scan', (signal) => runScript(scan, [], [cursor, pattern], signal))
      const page = pageOf(reply)
      for (const key of page.keys) yield key.slice(before.length)
      cursor = page.cursor
    } while (cursor !== '0')
  }

  #limited<T>(operation: string, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return runOperation(start, { ...this.#limit, operation })
  }
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
 * @param client a connected client, pool or cluster of node-redis 5, or a client (also with sentinels) or cluster of
 *   ioredis 5. Add an `error` listener to it, because without one a lost connection may crash the process. Closing the
 *   client is up to you. Set its `socketTimeout`, so that it replaces a connection that goes silent
 * @throws {ConfigurationError} the client is of another kind, such as a sentinel client of node-redis, or an option has
 *   a wrong value
 *
 * @example
 * const client = await createClient({ url }).on('error', report).connect()
 * const handler = createWebhookHandler({ secret, store: redisStore(client), consumers: [verifications] })
 */
export function redisStore(
  client: NodeRedisClient | IoRedisClient,
  options: RedisStoreOptions = {},
): ScannableStore {
  checkOptions('redisStore', options, optionRules)
  const { prefix = 'svc:', operationTimeoutMs = defaultTimeoutMs, errorDetail } = options
  const { timer }: Timing = { ...realTiming, ...(options as { [timing]?: Partial<Timing> })[timing] }
  const limit = { engine: 'Redis', timeoutMs: operationTimeoutMs, timing: { timer }, errorDetail }
  const keys = new RedisKeys(redisConnection(client), prefix, limit)
  return limitingItself<ScannableStore>({
    operationTimeoutMs,
    async get(key: string) {
      return valueOrNull(await keys.run('get', key))
    },
    async set(key: string, value: string, { ttlMs, ifAbsent }: StoreSetOptions = {}) {
      return keys.isDone(ifAbsent === true ? 'setIfAbsent' : 'set', key, [value], String(ttl(ttlMs) ?? ''))
    },
    async compareAndSet(key: string, expected: string, value: string, { ttlMs }: StoreTtlOptions = {}) {
      return keys.isDone('compareAndSet', key, [value, expected], String(ttl(ttlMs) ?? ''))
    },
    async take(key: string) {
      return keys.certain(valueOrNull, null, () => keys.run('take', key))
    },
    async delete(key: string) {
      return keys.isDone('delete', key)
    },
    async compareAndDelete(key: string, expected: string) {
      return keys.isDone('compareAndDelete', key, [expected])
    },
    scan: (start: string) => keys.scan(start),
  })
}

const escapeGlob = (text: string) => text.replace(/[*?[\]^\\]/g, '\\$&')

function pageOf(reply: unknown): { readonly cursor: string; readonly keys: readonly string[] } {
  if (Array.isArray(reply)) {
    const [cursor, keys] = reply
    const isPage = Array.isArray(keys) && keys.every((key) => typeof key === 'string')
    if (isPage) return { cursor: String(cursor), keys }
  }
  throw new StoreError({ message: 'Redis returned a reply that SCAN does not return' })
}

const valueOrNull = (reply: unknown): string | null => (reply === null ? null : decode(reply))

/** A client may be configured to return numbers as strings. */
function booleanOf(reply: unknown): boolean {
  if (String(reply) === '1') return true
  if (String(reply) === '0') return false
  throw new StoreError({ message: 'Redis returned a reply that no script of this store returns' })
}
