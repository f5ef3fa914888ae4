import { ConfigurationError } from '../../errors/sdk-error.ts'
import { onAbort } from '../../runtime/timing.ts'

/** The part of a client, pool or cluster of node-redis 4 or later that the store uses. */
export interface NodeRedisClient {
  /** Distinguishes node-redis from ioredis. */
  readonly isOpen: boolean
  /** Runs a script. */
  eval(script: string, options?: { keys?: string[]; arguments?: string[] }): Promise<unknown>
  /**
   * Only sentinel clients have it. They are not supported, because they send a script again after a lost connection.
   */
  readonly getSentinelNode?: never
}

/** The part of a client or cluster of ioredis 5 or later that the store uses. */
export interface IoRedisClient {
  /** State of the connection. */
  readonly status: string
  /** Adds a listener, for the state of the connection. */
  on(event: string, listener: () => void): unknown
  /** Runs a script. */
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): Promise<unknown>
}

/**
 * Runs a script on a server.
 *
 * @param signal when it aborts, a script that is not sent yet is not sent any more
 */
export type RunScript = (
  script: string,
  keys: readonly string[],
  args: readonly string[],
  signal: AbortSignal,
) => Promise<unknown>

/** What a store needs of a client of either package. */
export interface RedisConnection {
  readonly run: RunScript
  /** Runs a script on one primary. There are several in a cluster. */
  primaries(): Promise<readonly RunScript[]>
  /** What the client itself puts before each key. */
  readonly keyPrefix: string
  /** Whether the client says that it is one of a cluster, in which the keys of a script must be in one slot. */
  readonly isCluster: boolean
  /** How often a connection was lost so far, after which the driver may have sent a script again. */
  disconnects(): number
}

/** @throws {ConfigurationError} the client is of another kind, sends scripts again, or gives up after a silence */
export function redisConnection(client: NodeRedisClient | IoRedisClient): RedisConnection {
  if (typeof client === 'object' && client !== null) {
    if (isSentinelOfNodeRedis(client)) {
      throw new ConfigurationError({
        message:
          'redisStore: client must not be a sentinel client of node-redis, because it sends a script again after a lost ' +
          'connection, and the second run sees the effect of the first. Use a sentinel client of ioredis: ' +
          'new Redis({ sentinels, name })',
      })
    }
    if (hasMethods(client, 'eval', 'call', 'on')) return ioRedisConnection(client as IoRedisClient)
    if (hasMethods(client, 'eval') && 'isOpen' in client) {
      if (endsWhenSilent(client))
        throw new ConfigurationError({
          message:
            'redisStore: with socket.socketTimeout, a client of node-redis closes for good after that time without data, ' +
            'unless socket.reconnectStrategy is set. Set it, and a pingInterval below socketTimeout: ' +
            'createClient({ pingInterval: 5_000, socket: { socketTimeout: 10_000, ' +
            'reconnectStrategy: (retries) => Math.min(retries * 50, 2_000) } })',
        })
      return nodeRedisConnection(client)
    }
  }
  throw new ConfigurationError({
    message: 'redisStore: client must be a client of node-redis (redis 4 or later) or ioredis (5 or later)',
  })
}

/** Pools and clusters do not show their settings. */
const endsWhenSilent = ({ options }: NodeRedisMembers) =>
  options?.socket?.socketTimeout !== undefined && options.socket.reconnectStrategy === undefined

const hasMethods = (client: object, ...names: string[]) =>
  names.every((name) => typeof (client as Record<string, unknown>)[name] === 'function')

/** A lease of a sentinel, from `acquire` or `use`, is one too. Only leases can be released and watch keys. */
const isSentinelOfNodeRedis = (client: object) =>
  hasMethods(client, 'getSentinelNode') || ('isOpen' in client && hasMethods(client, 'release', 'watch'))

/** Members of node-redis that the store uses if a client has them. */
interface NodeRedisMembers extends NodeRedisClient {
  readonly isReady?: boolean
  readonly options?: {
    readonly disableOfflineQueue?: boolean
    readonly commandOptions?: { readonly timeout?: number }
    readonly socket?: { readonly socketTimeout?: number; readonly reconnectStrategy?: unknown }
  }
  on?(event: string, listener: () => void): unknown
  withCommandOptions?(options: {
    readonly abortSignal: AbortSignal
    readonly timeout?: number | undefined
    readonly typeMapping: object
  }): NodeRedisClient
  readonly masters?: readonly unknown[]
  nodeClient?(node: unknown): NodeRedisClient | Promise<NodeRedisClient>
}

function nodeRedisConnection(client: NodeRedisMembers): RedisConnection {
  const runOn =
    (node: NodeRedisMembers): RunScript =>
    async (script, keys, args, abortSignal) => {
      // The queue of node-redis 5.12 loses scripts if two others before them were aborted.
      if (canReconnect(node)) await nextConnection(node, abortSignal)
      // With the signal, the client does not send a script that is still in its queue, as in a cluster without a node.
      // Without the mapping of the client, which may return numbers as text, or text as a Buffer.
      const sender = node.withCommandOptions?.({ abortSignal, typeMapping: {}, ...ownTimeout(node) }) ?? node
      return sender.eval(script, { keys: [...keys], arguments: [...args] })
    }
  return {
    run: runOn(client),
    async primaries() {
      const { masters, nodeClient } = client
      if (masters === undefined || nodeClient === undefined) return [runOn(client)]
      return Promise.all(masters.map(async (node) => runOn(await nodeClient.call(client, node))))
    },
    keyPrefix: '',
    isCluster: false,
    // node-redis never resends a command that may have arrived.
    disconnects: () => 0,
  }
}

/**
 * Keeps the time limit that the application gave to the commands of a client. From redis 6 on there is one by default,
 * which would end a script before `operationTimeoutMs`, and cost as much as the script. Pools and clusters do not show
 * theirs.
 */
const ownTimeout = ({ options }: NodeRedisMembers) => options && { timeout: options.commandOptions?.timeout }

type ReconnectingNodeRedis = NodeRedisMembers & Required<Pick<NodeRedisMembers, 'on'>>

const canReconnect = (client: NodeRedisMembers): client is ReconnectingNodeRedis =>
  client.isOpen && client.isReady === false && client.options?.disableOfflineQueue !== true && hasMethods(client, 'on')

/** Members of ioredis that the store uses if a client has them. */
interface IoRedisMembers extends IoRedisClient {
  readonly options?: {
    readonly keyPrefix?: string
    readonly enableOfflineQueue?: boolean
    readonly enableAutoPipelining?: boolean
  }
  readonly isCluster?: boolean
  pipeline?(): IoRedisPipeline
  connect?(): Promise<unknown>
  nodes?(role: 'master'): IoRedisMembers[]
}

interface IoRedisPipeline {
  eval(...args: Parameters<IoRedisClient['eval']>): IoRedisPipeline
  exec(): Promise<readonly (readonly [error: unknown, result: unknown])[] | null>
}

/**
 * Runs a script. ioredis before 5.11 assigns scripts to the automatic pipelines of a cluster by their text and not by
 * their keys, and then rejects the whole pipeline. So in a cluster each script has a pipeline of its own.
 */
async function evaluate(node: IoRedisMembers, ...args: Parameters<IoRedisClient['eval']>): Promise<unknown> {
  const hasOwnPipeline = node.isCluster === true && node.options?.enableAutoPipelining === true
  if (!hasOwnPipeline || node.pipeline === undefined) return node.eval(...args)
  const [[error, result] = [null, null]] =
    (await node
      .pipeline()
      .eval(...args)
      .exec()) ?? []
  if (error) throw error
  return result
}

function ioRedisConnection(client: IoRedisMembers): RedisConnection {
  const state = connectionsOf(client)
  const runOn =
    (node: IoRedisMembers): RunScript =>
    async (script, keys, args, signal) => {
      await ready(node, signal)
      return evaluate(node, script, keys.length, ...keys, ...args)
    }
  return {
    run: runOn(client),
    primaries: async () => (client.nodes?.('master') ?? [client]).map(runOn),
    keyPrefix: client.options?.keyPrefix ?? '',
    isCluster: client.isCluster === true,
    disconnects: () => state.disconnects,
  }
}

/** A lost connection that the client is restoring, or a first one. */
const connecting: ReadonlySet<string> = new Set(['wait', 'connecting', 'connect', 'reconnecting', 'close'])

/**
 * Waits until the client can send. Without a connection, it would put the script into its queue, from where nothing
 * removes it: it would run at any later time.
 */
async function ready(client: IoRedisMembers, signal: AbortSignal): Promise<void> {
  if (!connecting.has(client.status) || client.options?.enableOfflineQueue === false) return
  const connection = nextConnection(client, signal)
  // As ioredis does at the first command. A failure is reported by the `error` event, and the client tries again.
  if (client.status === 'wait') client.connect?.().catch(() => {})
  await connection
}

/** A client that says when its connection changes. */
type ObservableClient = Pick<IoRedisClient, 'on'>

/** Waits until the client is connected, or has given up. */
function nextConnection(client: ObservableClient, signal: AbortSignal): Promise<void> {
  const { waiting } = connectionsOf(client)
  return new Promise((resolve, reject) => {
    const stopListening = onAbort(signal, () => {
      waiting.delete(proceed)
      reject(signal.reason)
    })
    const proceed = () => {
      stopListening()
      resolve()
    }
    waiting.add(proceed)
  })
}

interface ClientState {
  /** How often the client lost a connection. */
  disconnects: number
  /** Called when the client is connected, or has given up. */
  readonly waiting: Set<() => void>
}

const stateByClient = new WeakMap<ObservableClient, ClientState>()

/**
 * Follows the connections of a client. If the connection is lost before the reply, ioredis sends a script again. The
 * second run then finds the effect of the first: the value is already taken, or the key exists.
 */
function connectionsOf(client: ObservableClient): ClientState {
  const known = stateByClient.get(client)
  if (known) return known
  const state: ClientState = { disconnects: 0, waiting: new Set() }
  stateByClient.set(client, state)
  // A client of ioredis emits 'close'. A cluster emits '-node' for each of its clients.
  for (const event of ['close', '-node']) {
    client.on(event, () => {
      state.disconnects++
    })
  }
  for (const event of ['ready', 'end']) {
    client.on(event, () => {
      const proceed = [...state.waiting]
      state.waiting.clear()
      for (const each of proceed) each()
    })
  }
  return state
}
