import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { aSession } from './fixtures.ts'

/** A request as the server received it. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query of the request line, unchanged. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

export function asRequest({ method, target, headers, body }: ReceivedRequest): Request {
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value ?? '')])
  const init = { method, headers: pairs, ...(body.byteLength > 0 ? { body } : {}) }
  return new Request(new URL(target, `http://${headers.host}`), init)
}
/** What the server does with a request that it has read to its end. */
export type Responder = (response: ServerResponse, request: IncomingMessage) => unknown

/** Sends a whole response. An object becomes JSON. */
export const respondWith =
  (status: number, body: object | string | Uint8Array = '', headers: Record<string, string> = {}): Responder =>
  (response) => {
    response.writeHead(status, { 'x-request-id': 'req_1', ...headers })
    response.end(typeof body === 'object' && !(body instanceof Uint8Array) ? JSON.stringify(body) : body)
  }

export const success = (data: unknown = aSession()): Responder => respondWith(200, { success: true, data, error: null })

export const failure = (status: number, code: string, headers?: Record<string, string>): Responder =>
  respondWith(status, { success: false, data: null, error: { code, message: `it is ${code}` } }, headers)

/** Resets the connection instead of responding. */
export const reset: Responder = (response) => response.socket?.resetAndDestroy()

/** Starts a response and never ends it. Sends one byte after the other, and calls back after each. */
export const trickleWith =
  (onByte: () => unknown): Responder =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"success":true,')
    while (!response.destroyed) {
      await new Promise((resolve) => response.write(' ', resolve))
      await onByte()
      await sleep(1)
    }
  }

export const trickle: Responder = trickleWith(() => {})

/** Announces more bytes than it sends, and closes the connection. */
export const halfResponse: Responder = (response) => {
  response.writeHead(200, { 'content-length': '1000' })
  response.write('{"success":true,', () => response.socket?.destroy())
}

/**
 * A server on a loopback port until the test ends. Each request gets the next responder. The last responder is used
 * for all further requests.
 */
export async function loopbackServer(...responders: Responder[]) {
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return
    }
    const respond = responders[Math.min(requests.length, responders.length - 1)] ?? success()
    const { method = '', url: target = '', headers } = request
    requests.push({ method, target, headers, body: Buffer.concat(chunks) })
    respond(response, request)
  })
  server.on('connection', (socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(() => resolve()))
  }
  onTestFinished(close)
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close,
    get connections() {
      return connections
    },
  }
}

/** Refuses every connection: no program is given a port this low, and `fetch` does not reject it. */
export const unusedUrl = 'http://127.0.0.1:2'
