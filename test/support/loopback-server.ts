import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { aSession } from './fixtures.ts'

/** A request as it came over the wire. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query as they stood on the request line. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

/** What a server does with one request, once it has read it. */
export type Responder = (response: ServerResponse, request: IncomingMessage) => unknown

/** A whole answer. An object becomes JSON. */
export const respondWith =
  (
    status: number,
    body: object | string | Uint8Array = '',
    headers: Record<string, string> = {},
  ): Responder =>
  (response) => {
    response.writeHead(status, { 'x-request-id': 'req_1', ...headers })
    response.end(typeof body === 'object' && !(body instanceof Uint8Array) ? JSON.stringify(body) : body)
  }

export const success = (data: unknown = aSession()): Responder =>
  respondWith(200, { success: true, data, error: null })

export const failure = (status: number, code: string, headers?: Record<string, string>): Responder =>
  respondWith(status, { success: false, data: null, error: { code, message: `it is ${code}` } }, headers)

/** Closes the connection instead of answering. */
export const reset: Responder = (response) => response.socket?.resetAndDestroy()

/** Never answers. */
export const silence: Responder = () => {}

/** Begins an answer and never ends it, sending a byte now and then. */
export const trickle: Responder = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"success":true,')
  const timer = setInterval(() => response.write(' '), 5)
  response.once('close', () => clearInterval(timer))
}

/** Promises half of an answer more than it sends. */
export const halfResponse: Responder = (response) => {
  response.writeHead(200, { 'content-length': '1000' })
  response.write('{"success":true,')
  setTimeout(() => response.socket?.destroy(), 5)
}

/**
 * A server on a loopback port that gives each request the next reply, and the last one for good; it is closed
 * when the test ends.
 */
export async function loopbackServer(...replies: Responder[]) {
  const seen: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return
    }
    const reply = replies[Math.min(seen.length, replies.length - 1)] ?? success()
    const { method = '', url: target = '', headers } = request
    seen.push({ method, target, headers, body: Buffer.concat(chunks) })
    reply(response, request)
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
    requests: seen,
    close,
    get connections() {
      return connections
    },
  }
}

/** A URL of this machine where nobody listens. */
export async function unusedUrl(): Promise<string> {
  const { url, close } = await loopbackServer()
  await close()
  return url
}
