const headEnd = Buffer.from('\r\n\r\n')
const lineEnd = Buffer.from('\r\n')
const nothing = Buffer.alloc(0)

/** Parses one HTTP/1.1 message that arrives in chunks. */
export class HttpMessage {
  /** The first line, without its line break. Empty until the head is complete. */
  startLine = ''
  /** Headers by name in lowercase. Headers with the same name are joined. */
  readonly headers: Record<string, string> = {}
  /** True if the last byte has arrived. */
  complete = false
  /** Bytes of the body so far, without framing. */
  bodyBytes = 0
  /** Bytes after the end of the message. */
  rest: Buffer = nothing
  readonly #raw: Buffer[] = []
  readonly #body: Buffer[] = []
  #pending: Buffer = nothing
  /** Bytes left of the body or its chunk. Infinite if the body ends with the connection. */
  #left = 0
  #framing: 'head' | 'length' | 'chunk size' | 'chunk' | 'trailers' = 'head'

  get hasHead(): boolean {
    return this.#framing !== 'head'
  }

  /** All bytes so far, unchanged. */
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

  /** Records that the connection has ended. */
  end(): void {
    if (this.#left === Number.POSITIVE_INFINITY) this.complete = true
  }

  /** Reads one part of the pending bytes. Returns false if more bytes are needed. */
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
    const withoutLength = status === undefined ? 0 : Number.POSITIVE_INFINITY
    this.#left = Number(this.headers['content-length'] ?? withoutLength)
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

/** The bytes of a whole response. An object becomes JSON. */
export function rawResponse(
  status: number,
  body: object | string | Uint8Array = '',
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const isJson = typeof body === 'object' && !(body instanceof Uint8Array)
  const bytes = body instanceof Uint8Array ? body : Buffer.from(isJson ? JSON.stringify(body) : body)
  const allHeaders: Record<string, string> = {
    'x-request-id': 'req_fault',
    'content-type': isJson ? 'application/json' : 'text/html',
    'content-length': String(bytes.byteLength),
    ...headers,
  }
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Status\r\n${lines.join('')}\r\n`), bytes])
}
