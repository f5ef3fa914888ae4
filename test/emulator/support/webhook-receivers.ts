import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { webhookSecret } from './service.ts'

/** A `callback` whose deliveries are sent by the test's own function. */
export const callback = 'http://127.0.0.1:9/hook'

/** A receiver of webhooks that replaces the network. Pass `deliver` as `webhooks.deliver`. */
export function receiver(respond: () => Response | Promise<Response> = () => new Response(null, { status: 200 })) {
  const received: Request[] = []
  const deliver: typeof globalThis.fetch = async (input, init) => {
    received.push(new Request(input, init))
    return respond()
  }
  return { received, deliver }
}

/** A delivery that reached a destination. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A webhook destination on this machine. It is closed when the test ends. */
export async function destination() {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    received.push({ method, path, headers, body: Buffer.concat(chunks) })
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, received }
}

/** The signature that a delivery must have (section 6), computed with `node:crypto` alone. */
export const signatureOf = (timestamp: string | string[] | null | undefined, body: string | Buffer) =>
  createHmac('sha256', webhookSecret).update(`${timestamp}.`).update(body).digest('hex')
