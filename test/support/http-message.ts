const headEnd = Buffer.from('\r\n\r\n')
const lineEnd = Buffer.from('\r\n')
const nothing = Buffer.alloc(0)

/** One HTTP/1.1 message as it comes in pieces: where its head and its body end, and the bytes of both. */
export class HttpMessage {
  /** The first line, without its end. Empty until the head is whole. */
  startLine = ''
  /** By name in lower case. Repeated ones are joined. */
  readonly headers: Record<string, string> = {}
  /** Whether the last byte has come. */
  complete = false
  /** Bytes of the body so far, without their framing. */
  bodyBytes = 0
  /** What came after the end. */
  rest: Buffer = nothing
  readonly #raw: Buffer[] = []
  readonly #body: Buffer[] = []
  #pending: Buffer = nothing
  /** Bytes left of the body, or of its chunk; infinite where only the end of the connection ends it. */
  #left = 0
  #framing: 'head' | 'length' | 'chunk size' | 'chunk' | 'trailers' = 'head'

  get hasHead(): boolean {
    return this.#framing !== 'head'
  }

  /** All of it so far, as it came. */
  get raw(): Buffer {
    return Buffer.concat(this.#raw)
  }

  get body(): Buffer {
    return Buffer.concat(this.#body)
  }

  push(bytes: Buffer): void {
    this.#pending = this.#pending.byteLength === 0 ? bytes : Buffer.concat([this.#pending, bytes])
    while (!this.complete && this.#step());
    if (this.complete) {
      this.rest = Buffer.concat([this.rest, this.#pending])
      this.#pending = nothing
    }
  }

  /** The connection has ended. */
  end(): void {
    if (this.#left === Number.POSITIVE_INFINITY) this.complete = true
  }

  /** Reads one part of what is pending; false where it takes more bytes. */
  #step(): boolean {
    if (this.#framing === 'head') return this.#readHead()
    if (this.#framing === 'length' || this.#framing === 'chunk') return this.#readBody()
    const end = this.#pending.indexOf(lineEnd)
    if (end < 0) return false
    const line = this.#take(end + 2)
      .toString('latin1')
      .trim()
    if (this.#framing === 'trailers') this.complete = line === ''
    // The end of a chunk is an empty line before the size of the next one.
    else if (line !== '') {
      this.#left = Number.parseInt(line, 16)
      this.#framing = this.#left === 0 ? 'trailers' : 'chunk'
    }
    return true
  }

  #readHead(): boolean {
    const end = this.#pending.indexOf(headEnd)
    if (end < 0) return false
    const [startLine = '', ...lines] = this.#take(end + 4)
      .toString('latin1')
      .trimEnd()
      .split('\r\n')
    this.startLine = startLine
    for (const line of lines) {
      const colon = line.indexOf(':')
      const name = line.slice(0, colon).toLowerCase()
      const value = line.slice(colon + 1).trim()
      this.headers[name] = name in this.headers ? `${this.headers[name]}, ${value}` : value
    }
    this.#framing = /chunked/i.test(this.headers['transfer-encoding'] ?? '') ? 'chunk size' : 'length'
    const status = /^HTTP\/1\.\d (\d{3})/.exec(startLine)?.[1]
    const untold = status === undefined ? 0 : Number.POSITIVE_INFINITY
    this.#left = Number(this.headers['content-length'] ?? untold)
    if (status === '204' || status === '304') this.#left = 0
    this.complete = this.#framing === 'length' && this.#left === 0
    return true
  }

  #readBody(): boolean {
    if (this.#pending.byteLength === 0) return false
    const bytes = this.#take(Math.min(this.#left, this.#pending.byteLength))
    this.#body.push(bytes)
    this.bodyBytes += bytes.byteLength
    this.#left -= bytes.byteLength
    if (this.#left === 0) {
      if (this.#framing === 'chunk') this.#framing = 'chunk size'
      else this.complete = true
    }
    return true
  }

  #take(length: number): Buffer {
    const taken = this.#pending.subarray(0, length)
    this.#pending = this.#pending.subarray(length)
    this.#raw.push(taken)
    return taken
  }
}

/** A whole answer in bytes. An object becomes JSON; the length is told unless the headers do. */
export function rawResponse(
  status: number,
  body: object | string | Uint8Array = '',
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const isJson = typeof body === 'object' && !(body instanceof Uint8Array)
  const bytes = body instanceof Uint8Array ? body : Buffer.from(isJson ? JSON.stringify(body) : body)
  const told: Record<string, string> = {
    'x-request-id': 'req_fault',
    'content-type': isJson ? 'application/json' : 'text/html',
    'content-length': String(bytes.byteLength),
    ...headers,
  }
  const lines = Object.entries(told).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Told\r\n${lines.join('')}\r\n`), bytes])
}
