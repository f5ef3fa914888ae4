import { createHash } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { HttpMessage } from './http-message.ts'

/** A place in an exchange: after the head of the request, in the middle of its body, after its last byte, … */
type Place = 'request head' | 'request body' | 'request' | 'response head' | 'response body'

/** What the proxy does with one request. An empty fault forwards the request and its response unchanged. */
export interface Fault {
  /** Sent instead of the response of the target, which then does not receive the request. */
  readonly response?: Uint8Array | ((request: ProxiedRequest, body: Buffer) => Uint8Array) | undefined
  /** The place where the exchange ends early. In the middle of a body is after half of it. */
  readonly at?: Place | undefined
  /** How it ends: RST, FIN, or silence on an open connection. @default 'reset' */
  readonly by?: 'reset' | 'close' | 'stall' | undefined
  /** With `at: 'request'`: forwards the request, so that the target executes it. @default false */
  readonly forward?: boolean | undefined
  /** Sends the whole response, or what follows its head, one byte at a time. */
  readonly trickle?: 'head' | 'body' | undefined
  /** Milliseconds between two bytes of a trickle. @default 5 */
  readonly everyMs?: number | undefined
  /** Milliseconds before the response. @default 0 */
  readonly delayMs?: number | undefined
  /** What happens to the connection after the response. @default 'keep' */
  readonly afterwards?: 'keep' | 'close' | 'reset' | undefined
}

/** A request as the proxy received it. Recorded when its head was read, and updated afterwards. */
export interface ProxiedRequest {
  /** Number of the request over all connections, from 0. */
  readonly number: number
  /** Number of its connection, from 0. */
  readonly connection: number
  /** Number of the request on its connection, from 0. Above 0 the connection was kept alive. */
  readonly onConnection: number
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly idempotencyKey: string | undefined
  /** Bytes of the body that were read, without framing. */
  bodyBytes: number
  /** Digest of the whole body, in hexadecimal. Undefined if the exchange ended before it was read. */
  sha256: string | undefined
  /** True if the target received the request, so that the service may have executed it. */
  forwarded: boolean
  /** Status of the target's response, even if the response was lost. */
  status: number | undefined
  fault: Fault
}

export interface FaultProxyOptions {
  /** URL of the server on loopback to which requests are forwarded. Required if any request is forwarded. */
  readonly target?: string | undefined
  /** Returns the fault for a request as soon as its head was read. @default no faults */
  readonly script?: ((request: ProxiedRequest) => Fault | undefined) | undefined
  /** Returns true if a connection, counted from 0, is reset before anything is read. @default false */
  readonly resetsConnection?: ((connection: number) => boolean) | undefined
  /**
   * Called when the client has to wait: when an exchange stalls, and after each byte of a trickle. A test can advance
   * a clock here, so that it needs no real timeout.
   */
  readonly onClientWaits?: ((request: ProxiedRequest) => unknown) | undefined
}

/** Ports of earlier proxies. `fetch` keeps dead connections by their address until it is notified of their end. */
const usedPorts = new Set<number>()

const halfOf = (length: number) => Math.ceil(length / 2)

/**
 * A proxy on loopback that forwards raw bytes, and breaks exchanges at the places that its script names. It uses no
 * random numbers: its behavior depends only on the requests.
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
  #scriptError: unknown

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

  /** The number of connections so far, including those that were reset at once. */
  get connections(): number {
    return this.#connections
  }

  /** The number of open sockets on both sides. */
  get openSockets(): number {
    return this.#sockets.size
  }

  /** Listens again after {@link stopListening}, on the same port. */
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

  /** Resets every connection and accepts no new ones, until {@link listen}. */
  async stopListening(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    for (const timer of this.#timers) clearTimeout(timer)
    for (const socket of this.#sockets) socket.resetAndDestroy()
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()))
  }

  /** @throws the error of the script, if it has thrown one */
  async close(): Promise<void> {
    await this.stopListening()
    if (this.#scriptError !== undefined) throw this.#scriptError
  }

  #track(socket: Socket): Socket {
    this.#sockets.add(socket)
    // Resets are expected here. Code that needs to react listens for `close`.
    socket.on('error', () => {})
    socket.once('close', () => this.#sockets.delete(socket))
    return socket.setNoDelay(true)
  }

  #accept(socket: Socket): void {
    this.#track(socket)
    const connection = this.#connections++
    if (this.#options.resetsConnection?.(connection)) {
      socket.resetAndDestroy()
      return
    }
    let count = 0
    let message = new HttpMessage()
    let request: ProxiedRequest | undefined
    let isResponding = false
    const read = (bytes: Buffer): void => {
      message.push(bytes)
      if (isResponding || !message.hasHead) return
      request ??= this.#record(message, connection, count++)
      request.bodyBytes = message.bodyBytes
      if (endsEarly(request.fault, message)) {
        this.#end(socket, request)
        return
      }
      if (!message.complete) return
      request.sha256 = createHash('sha256').update(message.body).digest('hex')
      isResponding = true
      this.#respond(socket, request, message).then(
        (hasEnded) => {
          const { rest } = message
          message = new HttpMessage()
          request = undefined
          isResponding = hasEnded
          if (!hasEnded && rest.byteLength > 0) read(rest)
        },
        // The target or the script failed. The client must not wait for a response.
        () => socket.resetAndDestroy(),
      )
    }
    socket.on('data', read)
  }

  #record(message: HttpMessage, connection: number, onConnection: number): ProxiedRequest {
    const [method = '', path = ''] = message.startLine.split(' ')
    const { headers } = message
    const request: ProxiedRequest = {
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
    this.requests.push(request)
    try {
      request.fault = this.#options.script?.(request) ?? {}
    } catch (thrown) {
      this.#scriptError ??= thrown
      request.fault = { at: 'request head' }
    }
    return request
  }

  /** Responds to a request that was read to its end. Returns true if the connection has ended. */
  async #respond(socket: Socket, request: ProxiedRequest, message: HttpMessage): Promise<boolean> {
    const { fault } = request
    if (fault.at === 'request' && !fault.forward) {
      this.#end(socket, request)
      return true
    }
    const bytes = await this.#responseTo(request, message)
    if (fault.at === 'request') {
      this.#end(socket, request)
      return true
    }
    if (fault.delayMs) await this.#wait(fault.delayMs)
    const head = bytes.indexOf('\r\n\r\n') + 4
    const isCut = fault.at !== undefined
    const cut = fault.at === 'response head' ? halfOf(head) : head + halfOf(bytes.byteLength - head)
    await this.#send(socket, isCut ? bytes.subarray(0, cut) : bytes, { request, head })
    const afterwards = isCut ? (fault.by ?? 'reset') : (fault.afterwards ?? 'keep')
    if (afterwards === 'reset') await this.#untilRead()
    if (afterwards !== 'keep') this.#end(socket, request, afterwards)
    return afterwards !== 'keep'
  }

  async #responseTo(request: ProxiedRequest, message: HttpMessage): Promise<Buffer> {
    const { response } = request.fault
    if (response !== undefined) {
      return Buffer.from(typeof response === 'function' ? response(request, message.body) : response)
    }
    request.forwarded = true
    const received = await this.#forward(message.raw)
    request.status = Number(received.startLine.split(' ')[1])
    return received.raw
  }

  /** Sends a request to the target on its own connection, and reads the whole response. */
  #forward(request: Buffer): Promise<HttpMessage> {
    const { hostname, port } = new URL(this.#options.target ?? 'http://127.0.0.1:1')
    const socket = this.#track(connect(Number(port), hostname))
    const response = new HttpMessage()
    return new Promise((resolve, reject) => {
      socket.on('data', (bytes) => {
        response.push(bytes)
        if (!response.complete) return
        resolve(response)
        // A regular close would block the port for a minute, and a campaign makes thousands of connections.
        socket.resetAndDestroy()
      })
      socket.once('close', () => {
        response.end()
        if (response.complete) resolve(response)
        else reject(new Error('the target did not respond'))
      })
      socket.write(request)
    })
  }

  async #send(
    socket: Socket,
    bytes: Buffer,
    { request, head }: { request: ProxiedRequest; head: number },
  ): Promise<void> {
    const { trickle, everyMs = 5 } = request.fault
    if (trickle === undefined) return written(socket, bytes)
    const whole = trickle === 'body' ? Math.min(head, bytes.byteLength) : 0
    await written(socket, bytes.subarray(0, whole))
    for (let i = whole; i < bytes.byteLength && !socket.destroyed; i++) {
      await this.#wait(everyMs)
      await written(socket, bytes.subarray(i, i + 1))
      await this.#options.onClientWaits?.(request)
    }
  }

  #end(socket: Socket, request: ProxiedRequest, by = request.fault.by ?? 'reset'): void {
    socket.removeAllListeners('data')
    if (by === 'reset') socket.resetAndDestroy()
    else if (by === 'close') socket.destroySoon()
    else {
      // Nothing more is read, so an upload stops when the buffers are full.
      socket.pause()
      this.#options.onClientWaits?.(request)
    }
  }

  /** A client that reads the last bytes and the reset at once treats the reset as a normal end. */
  async #untilRead(): Promise<void> {
    await this.#wait(3)
    // On a busy machine the time is over before the client, which runs in this process, has had its turn to read.
    await setImmediate()
    await setImmediate()
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

/** True if the exchange ends before the request was read. A request without a body has no middle of the body. */
function endsEarly({ at }: Fault, { headers, bodyBytes, complete }: HttpMessage): boolean {
  if (at === 'request head') return true
  return at === 'request body' && (complete || bodyBytes >= halfOf(Number(headers['content-length'] ?? 1)))
}

/** Waits until the bytes are passed to the system, or the socket is closed. */
const written = (socket: Socket, bytes: Buffer): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed || bytes.byteLength === 0) resolve()
    else socket.write(bytes, () => resolve())
  })
