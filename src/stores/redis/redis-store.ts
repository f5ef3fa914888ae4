import { StoreError } from '../../errors/sdk-error.ts'
import type { ObservationOptions } from '../../observe/observation.ts'
import { checkOptions, errorDetailRule, timeSpan } from '../../options/rules.ts'
import { encodeUtf8 } from '../../runtime/bytes.ts'
import { timingOf } from '../../runtime/timing.ts'
import { decode, encode, escapeMark, keyWithPrefix, storedStarts } from '../encode.ts'
import { defaultTimeoutMs, type EngineLimit, redisCode, runOperation, ttl, withOwnTimeLimit } from '../operation.ts'
import type {
  ListEntry,
  ListedValue,
  ListingStore,
  StoreSetOptions,
  StoreTimeLimit,
  StoreTtlOptions,
} from '../store.ts'
import {
  type IoRedisClient,
  type NodeRedisClient,
  type RedisConnection,
  type RunScript,
  redisConnection,
} from './redis-client.ts'

/** Options of a Redis store. They are read once. Later changes to the object have no effect. */
export interface RedisStoreOptions extends StoreTimeLimit, Pick<ObservationOptions, 'errorDetail'> {
  /**
   * Prefix of every key in Redis. Stores with different prefixes do not see each other's keys, unless one prefix starts
   * with the other.
   *
   * @default 'svc:'
   * @throws {ConfigurationError} unless the value is a string without lone surrogates and braces
   */
  readonly prefix?: string | undefined
}

/** By the class of what the driver throws. */
const advice = { ClientClosedError: 'The client is not connected: await client.connect() before the first operation' }

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
 * A value and the lists that it can be in have one tag, so they are on one node and one script writes both. KEYS: the
 * value, then one or two lists. ARGV: the expected value and the new one, each after `1`, or `0` and '' if there is
 * none; the member and its place; the index in KEYS of the list that it leaves and of the one that it joins, or ''.
 */
const replaceListed = `
local found = redis.call('GETEX', KEYS[1])
if ARGV[1] == '1' then
  if found ~= ARGV[2] then return 0 end
elseif found then
  return 0
end
if ARGV[3] == '1' then
  redis.call('SET', KEYS[1], ARGV[4])
else
  redis.call('DEL', KEYS[1])
end
if ARGV[7] ~= '' then redis.call('ZREM', KEYS[tonumber(ARGV[7])], ARGV[5]) end
if ARGV[8] ~= '' then redis.call('ZADD', KEYS[tonumber(ARGV[8])], ARGV[6], ARGV[5]) end
return 1`

/**
 * Returns the first entries of some parts of a list from one place to another, each with its place, and the place up to
 * which they are complete. A removal of nothing comes first, because a replica rejects it.
 */
const rangeOfLists = `
local entries = {}
local complete = 'inf'
for _, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYRANK', key, 1, 0)
  local part = redis.call('ZRANGE', key, ARGV[1], ARGV[2], 'BYSCORE', 'LIMIT', 0, ARGV[3], 'WITHSCORES')
  local count = #part / 2
  for i = 1, #part do entries[#entries + 1] = part[i] end
  if count == tonumber(ARGV[3]) and (complete == 'inf' or tonumber(part[#part]) < tonumber(complete)) then
    complete = part[#part]
  end
end
return { complete, entries }`

const countOfLists = `
local count = 0
for _, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYRANK', key, 1, 0)
  count = count + redis.call('ZCARD', key)
end
return count`

/** Returns the next cursor and some keys. */
const scan = `return redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', 500)`

/** A list has a sorted set for each part of the keys, so that no key of Redis is busy. */
const parts = Array.from({ length: 256 }, (_, part) => part.toString(16).padStart(2, '0'))

/** FNV-1a, which spreads keys that differ in their last characters. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of encodeUtf8(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

/** Returns the part of the keys that a stored form is in. A cluster keeps what has one tag on one node. */
const tagOf = (stored: string) => `{${parts[hashOf(stored) % parts.length]}}`

const tagLength = 4

/** How many entries of each part are read at first. */
const entriesPerPart = 8

/**
 * Returns the place of a member. Its fraction differs between members, so that few of them are at one place, because a
 * page contains all members of a place.
 */
function scoreOf(at: number, member: string): number {
  const whole = Math.floor(at)
  const place = whole + ((hashOf(member) >>> 8) % 1024) / 1024
  // Numbers of more than 43 bits, which are times after the year 2248, may be rounded up to the next one.
  return Math.floor(place) === whole ? place : whole
}

/** Returns the end of a range of places, which is not part of the range. */
function endOf(before: number): string {
  if (Number.isFinite(before)) return `(${Math.ceil(before)}`
  return before > 0 ? '+inf' : '-inf'
}

/** The keys of a store: those of a Redis that start with a prefix. */
class RedisKeys {
  readonly #connection: RedisConnection
  readonly #prefix: string
  readonly #limit: EngineLimit
  /** Whether keys are on several nodes, as the client or a server has said. */
  #isCluster: boolean

  constructor(connection: RedisConnection, prefix: string, limit: EngineLimit) {
    this.#connection = connection
    this.#prefix = prefix
    this.#limit = limit
    this.#isCluster = connection.isCluster
  }

  /** Runs a script on a key. */
  run(name: keyof typeof scripts, key: string, texts: string[] = [], ttl?: string): Promise<unknown> {
    return this.#limited(name, async (signal) => {
      const [value, ...others] = texts.map((text) => encode(text, 'value'))
      const args = value === undefined ? [] : ttl === undefined ? [value] : [value, ttl, ...others]
      return this.#connection.run(scripts[name], [this.#keyOf(encode(key, 'key'))], args, signal)
    })
  }

  /** Replaces a value and its place in a list. */
  replace(key: string, from: ListedValue, to: ListedValue): Promise<boolean> {
    const write = () =>
      this.#limited('lists.replace', async (signal) => {
        const member = encode(key, 'key')
        const lists = [...new Set([from.list, to.list].filter((list) => list !== undefined))]
        const keys = [this.#keyOf(member), ...lists.map((list) => this.#listKey(tagOf(member), list))]
        const indexOf = (list: string | undefined) => (list === undefined ? '' : String(2 + lists.indexOf(list)))
        const args = [
          ...[from.value, to.value].flatMap((text) => (text === null ? ['0', ''] : ['1', encode(text, 'value')])),
          ...[member, String(scoreOf(to.at ?? 0, member))],
          ...[indexOf(from.list), indexOf(to.list)],
        ]
        return this.#connection.run(replaceListed, keys, args, signal)
      })
    return this.orUncertain(booleanOf, false, write)
  }

  /** Yields the entries of a list in order. */
  async *range(list: string, before: number): AsyncGenerator<ListEntry> {
    let from = '-inf'
    let limit = entriesPerPart
    const until = endOf(before)
    for (;;) {
      const replies = await this.#runOnParts('lists.range', rangeOfLists, list, [from, until, String(limit)])
      const pages = replies.map(pageOfList)
      const complete = Math.min(...pages.map((page) => page.complete))
      const entries = pages.flatMap((page) => page.entries).filter(({ place }) => place < complete)
      for (const { member, place } of entries.sort((a, b) => a.place - b.place)) {
        const key = keyWithPrefix(member, '')
        if (key !== undefined) yield { key, at: Math.floor(place) }
      }
      if (complete === Number.POSITIVE_INFINITY) return
      // More members are at one place than were read.
      limit = entries.length === 0 ? 4 * limit : entriesPerPart
      from = String(complete)
    }
  }

  async count(list: string): Promise<number> {
    const counts = await this.#runOnParts('lists.count', countOfLists, list, [])
    return counts.reduce<number>((sum, count) => sum + Number(count), 0)
  }

  #keyOf(stored: string): string {
    return this.#prefix + tagOf(stored) + stored
  }

  /** No stored form of a key starts in this way. */
  #listKey(tag: string, list: string): string {
    return `${this.#prefix + tag + escapeMark}list:${encode(list, 'key')}`
  }

  /** Runs a script on all parts of a list, at once if they are on one server. */
  async #runOnParts(operation: string, script: string, list: string, args: string[]): Promise<unknown[]> {
    const run = (keys: string[]) =>
      this.#limited(operation, (signal) => this.#connection.run(script, keys, args, signal))
    const keys = parts.map((part) => this.#listKey(`{${part}}`, list))
    if (!this.#isCluster) {
      try {
        return [await run(keys)]
      } catch (error) {
        if (!isCrossSlot(error)) throw error
        this.#isCluster = true
      }
    }
    return Promise.all(keys.map((key) => run([key])))
  }

  /**
   * Runs a script and returns its result. A negative result is an error if the connection was lost during the call,
   * because then the driver may have run the script twice, and the first run may have succeeded.
   */
  async orUncertain<T>(read: (reply: unknown) => T, negative: T, call: () => Promise<unknown>): Promise<T> {
    const before = this.#connection.disconnects()
    const result = read(await call())
    if (result !== negative || this.#connection.disconnects() <= before) return result
    throw new StoreError({
      message: 'The connection to Redis was lost during the call, so the operation may or may not have taken effect',
      mayHaveHappened: true,
    })
  }

  /** The same for a script that returns whether it did something. */
  runAsFlag(...script: Parameters<RedisKeys['run']>): Promise<boolean> {
    return this.orUncertain(booleanOf, false, () => this.run(...script))
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
    const pattern = `${escapeGlob(before)}{??}${escapeGlob(start)}*`
    let cursor = '0'
    do {
      const reply = await this.#limited('scan', (signal) => runScript(scan, [], [cursor, pattern], signal))
      const page = pageOf(reply)
      for (const key of page.keys) yield key.slice(before.length + tagLength)
      cursor = page.cursor
    } while (cursor !== '0')
  }

  #limited<T>(operation: string, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return runOperation(start, { ...this.#limit, operation })
  }
}

/**
 * Creates a {@link Store} in Redis, shared by all processes that use the same server and prefix. Each operation is
 * atomic, also in a cluster, because it is one script on one node. Reading a list takes several scripts. A failed
 * operation rejects with {@link StoreError}. Requires Redis 6.2 or later, or a compatible server.
 *
 * Redis replicates after it has responded, so a failover may lose the last writes. If a claim or a lock must survive a
 * failover, use Postgres. Set `maxmemory-policy noeviction`, because otherwise Redis may delete values before they
 * expire.
 *
 * @param client a connected client, pool or cluster of node-redis 4 or later, or a client (also with sentinels) or
 *   cluster of ioredis 5 or later. Add an `error` listener to it, because without one a lost connection may crash the
 *   process. Closing the client is up to you. To replace a connection that goes silent, set its `socketTimeout`, and
 *   with node-redis also `pingInterval` and `reconnectStrategy` (docs/guides/scaling.md)
 * @throws {ConfigurationError} the client is of another kind, such as a sentinel client of node-redis, or of node-redis
 *   with a `socketTimeout` and no `reconnectStrategy`, or an option has a wrong value
 *
 * @example
 * const client = await createClient({ url }).on('error', report).connect()
 * const handler = createWebhookHandler({ secret, store: redisStore(client), consumers: [verifications] })
 */
export function redisStore(client: NodeRedisClient | IoRedisClient, options: RedisStoreOptions = {}): ListingStore {
  checkOptions('redisStore', options, {
    prefix: {
      // A cluster would take what is in braces for the part of the keys.
      form: 'be a string without lone surrogates and without { and }',
      allows: (value) => typeof value === 'string' && value.isWellFormed() && !/[{}]/.test(value),
    },
    errorDetail: errorDetailRule,
    operationTimeoutMs: timeSpan,
  })
  const { prefix = 'svc:', operationTimeoutMs = defaultTimeoutMs, errorDetail } = options
  const { now, timer } = timingOf(options)
  const limit = { engine: 'Redis', timeoutMs: operationTimeoutMs, timing: { now, timer }, errorDetail, advice }
  const keys = new RedisKeys(redisConnection(client), prefix, limit)
  const store = withOwnTimeLimit<ListingStore>({
    operationTimeoutMs,
    async get(key: string) {
      return valueOrNull(await keys.run('get', key))
    },
    async set(key: string, value: string, { ttlMs, ifAbsent }: StoreSetOptions = {}) {
      return keys.runAsFlag(ifAbsent === true ? 'setIfAbsent' : 'set', key, [value], String(ttl(ttlMs) ?? ''))
    },
    async compareAndSet(key: string, expected: string, value: string, { ttlMs }: StoreTtlOptions = {}) {
      return keys.runAsFlag('compareAndSet', key, [value, expected], String(ttl(ttlMs) ?? ''))
    },
    async take(key: string) {
      return keys.orUncertain(valueOrNull, null, () => keys.run('take', key))
    },
    async delete(key: string) {
      return keys.runAsFlag('delete', key)
    },
    async compareAndDelete(key: string, expected: string) {
      return keys.runAsFlag('compareAndDelete', key, [expected])
    },
    scan: (start: string) => keys.scan(start),
    lists: {
      async replace(key: string, from: ListedValue, to: ListedValue) {
        return keys.replace(key, from, to)
      },
      range: (list: string, { before = Number.POSITIVE_INFINITY } = {}) => keys.range(list, before),
      async count(list: string) {
        return keys.count(list)
      },
    },
  })
  return store
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

/** A script that names keys of several nodes of a cluster. */
const isCrossSlot = (error: unknown) =>
  redisCode((Object(error) as { readonly original?: unknown }).original) === 'CROSSSLOT'

interface ListedMember {
  readonly member: string
  readonly place: number
}

function pageOfList(reply: unknown): { readonly complete: number; readonly entries: ListedMember[] } {
  const [complete, flat] = Array.isArray(reply) ? reply : []
  if (!Array.isArray(flat))
    throw new StoreError({ message: 'Redis returned a reply that no script of this store returns' })
  const entries: ListedMember[] = []
  for (let i = 0; i < flat.length; i += 2) entries.push({ member: String(flat[i]), place: Number(flat[i + 1]) })
  return { complete: complete === 'inf' ? Number.POSITIVE_INFINITY : Number(complete), entries }
}

const valueOrNull = (reply: unknown): string | null => (reply === null ? null : decode(reply))

/** A client may be configured to return numbers as strings. */
function booleanOf(reply: unknown): boolean {
  if (String(reply) === '1') return true
  if (String(reply) === '0') return false
  throw new StoreError({ message: 'Redis returned a reply that no script of this store returns' })
}
