import { createHash } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { HttpMessage } from './http-message.ts'

/** A place in an exchange: after the head of the request, in the middle of its body, after its last byte, … */
type Place = 'request head' | 'request body' | 'request' | 'answer head' | 'answer body'

/** What happens to one request. Without any of it, the request and its answer pass as they are. */
export interface Fault {
  /** Sent in place of what the target would say, which then gets no request. */
  readonly response?: Uint8Array | ((request: ProxiedRequest, body: Buffer) => Uint8Array) | undefined
  /** Where the exchange ends early. In the middle of a body is half of it. */
  readonly at?: Place | undefined
  /** How it ends: RST, FIN, or silence on an open connection. @default 'reset' */
  readonly by?: 'reset' | 'close' | 'stall' | undefined
  /** With `at: 'request'`: whether the target gets the request and does its work all the same. @default false */
  readonly forward?: boolean | undefined
  /** Sends the whole answer, or what follows its head, a byte at a time. */
  readonly trickle?: 'head' | 'body' | undefined
  /** Between two bytes of a trickle. @default 5 */
  readonly everyMs?: number | undefined
  /** Before the answer. @default 0 */
  readonly delayMs?: number | undefined
  /** What becomes of the connection once all was answered. @default 'keep' */
  readonly afterwards?: 'keep' | 'close' | 'reset' | undefined
}

/** A request as the proxy saw it: noted once its head was read, and kept up to date from then on. */
export interface ProxiedRequest {
  /** Counts from 0, over all connections. */
  readonly number: number
  /** Of its connection, from 0. */
  readonly connection: number
  /** Counts the requests of this connection, from 0: above 0 the connection was kept alive. */
  readonly onConnection: number
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly idempotencyKey: string | undefined
  /** Bytes of the body that were read, framing aside. */
  bodyBytes: number
  /** Of the whole body, in hexadecimal; missing where the exchange ended before it was read. */
  sha256: string | undefined
  /** Whether the target got it: the service may have done the work. */
  forwarded: boolean
  /** What the target answered, whether or not the answer got through. */
  status: number | undefined
  fault: Fault
}

export interface FaultProxyOptions {
  /** Where requests go: the URL of a server on loopback. Needed where any of them is to pass. */
  readonly target?: string | undefined
  /** Says for each request what happens to it, as soon as its head is read. @default everything passes */
  readonly script?: ((request: ProxiedRequest) => Fault | undefined) | undefined
  /** Says for each connection, counted from 0, whether it is reset before anything is read. @default none is */
  readonly resetsConnection?: ((connection: number) => boolean) | undefined
}

/** Of this process. Its `fetch` keeps connections by their address, dead ones too until it hears of their end. */
const usedPorts = new Set<number>()

const halfOf = (length: number) => Math.ceil(length / 2)

/**
 * A proxy on loopback that works on raw bytes and breaks what its script says, where it says. It draws no random
 * numbers: what it does is a function of the requests.
 */
export class FaultProxy {
  /** Every request whose head was read, in order. */
  readonly requests: ProxiedRequest[] = []
  readonly #options: FaultProxyOptions
  readonly #sockets = new Set<Socket>()
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  #server: Server | undefined
  #port = 0
  #connections = 0
  #scriptFault: unknown

  private constructor(options: FaultProxyOptions) {
    this.#options = options
  }

  static async start(options: FaultProxyOptions = {}): Promise<FaultProxy> {
    const proxy = new FaultProxy(options)
    await proxy.listen()
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Connections that were made so far, those that were reset at once included. */
  get connections(): number {
    return this.#connections
  }

  /** Sockets that are open, to either side. */
  get openSockets(): number {
    return this.#sockets.size
  }

  /** Listens again where {@link stopListening} had ended it, on the same port. */
  async listen(): Promise<void> {
    if (this.#server) return
    const server = createServer((socket) => this.#accept(socket))
    this.#server = server
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(this.#port, '127.0.0.1', resolve)
    })
    const { port } = server.address() as AddressInfo
    if (port !== this.#port && usedPorts.has(port)) {
      await this.stopListening()
      return this.listen()
    }
    usedPorts.add(port)
    this.#port = port
  }

  /** Ends every connection and refuses new ones, until {@link listen}. */
  async stopListening(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    for (const timer of this.#timers) clearTimeout(timer)
    for (const socket of this.#sockets) socket.resetAndDestroy()
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()))
  }

  /** @throws what the script threw, if it did */
  async close(): Promise<void> {
    await this.stopListening()
    if (this.#scriptFault !== undefined) throw this.#scriptFault
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket)
    // A reset is what all of this is about: who cares for it looks at `close`.
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
    return socket.setNoDelay(true)
  }

  #accept(socket: Socket): void {
    this.#keep(socket)
    const connection = this.#connections++
    if (this.#options.resetsConnection?.(connection)) {
      socket.resetAndDestroy()
      return
    }
    let count = 0
    let message = new HttpMessage()
    let seen: ProxiedRequest | undefined
    let isAnswering = false
    const read = (bytes: Buffer): void => {
      message.push(bytes)
      if (isAnswering || !message.hasHead) return
      seen ??= this.#note(message, connection, count++)
      seen.bodyBytes = message.bodyBytes
      if (endsEarly(seen.fault, message)) {
        end(socket, seen.fault)
        return
      }
      if (!message.complete) return
      seen.sha256 = createHash('sha256').update(message.body).digest('hex')
      isAnswering = true
      this.#answer(socket, seen, message).then(
        (isOver) => {
          const { rest } = message
          message = new HttpMessage()
          seen = undefined
          isAnswering = isOver
          if (!isOver && rest.byteLength > 0) read(rest)
        },
        // The target, or the script, failed: the client must not wait for an answer.
        () => socket.resetAndDestroy(),
      )
    }
    socket.on('data', read)
  }

  #note(message: HttpMessage, connection: number, onConnection: number): ProxiedRequest {
    const [method = '', path = ''] = message.startLine.split(' ')
    const { headers } = message
    const seen: ProxiedRequest = {
      number: this.requests.length,
      connection,
      onConnection,
      method,
      path,
      headers,
      idempotencyKey: headers['idempotency-key'],
      bodyBytes: 0,
      sha256: undefined,
      forwarded: false,
      status: undefined,
      fault: {},
    }
    this.requests.push(seen)
    try {
      seen.fault = this.#options.script?.(seen) ?? {}
    } catch (thrown) {
      this.#scriptFault ??= thrown
      seen.fault = { at: 'request head' }
    }
    return seen
  }

  /** Answers a request that was read to its end; true where nothing more may follow on the connection. */
  async #answer(socket: Socket, seen: ProxiedRequest, message: HttpMessage): Promise<boolean> {
    const { fault } = seen
    if (fault.at === 'request' && !fault.forward) {
      end(socket, fault)
      return true
    }
    const bytes = await this.#bytesFor(seen, message)
    if (fault.at === 'request') {
      end(socket, fault)
      return true
    }
    if (fault.delayMs) await this.#wait(fault.delayMs)
    const head = bytes.indexOf('\r\n\r\n') + 4
    const isCut = fault.at !== undefined
    const cut = fault.at === 'answer head' ? halfOf(head) : head + halfOf(bytes.byteLength - head)
    await this.#send(socket, isCut ? bytes.subarray(0, cut) : bytes, { fault, head })
    const afterwards = isCut ? (fault.by ?? 'reset') : (fault.afterwards ?? 'keep')
    // A client that finds bytes and a reset together takes it for an orderly end.
    if (afterwards === 'reset') await this.#wait(3)
    if (afterwards !== 'keep') end(socket, { by: afterwards })
    return afterwards !== 'keep'
  }

  async #bytesFor(seen: ProxiedRequest, message: HttpMessage): Promise<Buffer> {
    const { response: answer } = seen.fault
    if (answer !== undefined) {
      return Buffer.from(typeof answer === 'function' ? answer(seen, message.body) : answer)
    }
    seen.forwarded = true
    const answered = await this.#ask(message.raw)
    seen.status = Number(answered.startLine.split(' ')[1])
    return answered.raw
  }

  /** Sends a request on a connection of its own, and reads the answer to its end. */
  #ask(request: Buffer): Promise<HttpMessage> {
    const { hostname, port } = new URL(this.#options.target ?? 'http://127.0.0.1:1')
    const socket = this.#keep(connect(Number(port), hostname))
    const answer = new HttpMessage()
    return new Promise((resolve, reject) => {
      socket.on('data', (bytes) => {
        answer.push(bytes)
        if (!answer.complete) return
        resolve(answer)
        // An orderly end would hold its port for a minute: a campaign makes thousands.
        socket.resetAndDestroy()
      })
      socket.once('close', () => {
        answer.end()
        if (answer.complete) resolve(answer)
        else reject(new Error('the target did not answer'))
      })
      socket.write(request)
    })
  }

  async #send(
    socket: Socket,
    bytes: Buffer,
    { fault: { trickle, everyMs = 5 }, head }: { fault: Fault; head: number },
  ): Promise<void> {
    if (trickle === undefined) return written(socket, bytes)
    const whole = trickle === 'body' ? Math.min(head, bytes.byteLength) : 0
    await written(socket, bytes.subarray(0, whole))
    for (let i = whole; i < bytes.byteLength && !socket.destroyed; i++) {
      await this.#wait(everyMs)
      await written(socket, bytes.subarray(i, i + 1))
    }
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        resolve()
      }, ms)
      this.#timers.add(timer)
    })
  }
}

/** Whether the exchange ends here, before the request was read. One without a body has no middle of it. */
function endsEarly({ at }: Fault, { headers, bodyBytes, complete }: HttpMessage): boolean {
  if (at === 'request head') return true
  return at === 'request body' && (complete || bodyBytes >= halfOf(Number(headers['content-length'] ?? 1)))
}

function end(socket: Socket, { by = 'reset' }: Pick<Fault, 'by'>): void {
  socket.removeAllListeners('data')
  if (by === 'reset') socket.resetAndDestroy()
  else if (by === 'close') socket.destroySoon()
  // Nothing more is read: an upload comes to a stand where the buffers are full.
  else socket.pause()
}

/** Waits until the bytes are handed to the system, or cannot be. */
const written = (socket: Socket, bytes: Buffer): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed || bytes.byteLength === 0) resolve()
    else socket.write(bytes, () => resolve())
  })
