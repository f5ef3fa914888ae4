import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createSecureServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { imageFromFile } from '../../../src/index.ts'
import { livenessCheck, standalone } from '../../support/fixtures.ts'
import { selfSigned } from '../../support/self-signed.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { clientOver, transports } from '../../support/transports.ts'
import { noise } from './uploaded-image.ts'

const folder = temporaryFolder()
const [undici] = transports
const image = noise(9 * 2 ** 20 + 1234)

type Listener = (request: IncomingMessage, response: ServerResponse) => void

const servers = {
  'HTTP/1.1': (listener: Listener) => createServer(listener),
  'HTTP/1.1 over TLS': (listener: Listener) => createTlsServer(selfSigned, listener),
  'HTTP/2': (listener: Listener) =>
    createHttp2Server(
      selfSigned,
      listener as unknown as (request: Http2ServerRequest, response: Http2ServerResponse) => void,
    ),
} as const

/** Reads with pauses, so that the sender has to wait. */
async function readSlowly(incoming: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) {
    chunks.push(Buffer.from(chunk))
    if (chunks.length % 16 === 0) await sleep(1)
  }
  return Buffer.concat(chunks)
}

// The memory of a file's chunks is reused, so a chunk that is not written yet must not be overwritten.
it.each(Object.entries(servers))('sends a file unchanged to a slow server over %s', async (protocol, create) => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const versions: string[] = []
  const bodies: Buffer[] = []
  const server = create(async (request, response) => {
    versions.push(request.httpVersion)
    bodies.push(await readSlowly(request))
    response.setHeader('x-request-id', 'req_1')
    response.end(JSON.stringify({ success: true, data: standalone(livenessCheck()) }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const path = join(folder, 'noise.jpg')
  writeFileSync(path, image)
  const baseUrl = `${protocol === 'HTTP/1.1' ? 'http' : 'https'}://127.0.0.1:${port}`
  const { client } = clientOver(undici, baseUrl, { http2: protocol === 'HTTP/2' })

  const { response } = await client.checks.liveness({ image: imageFromFile(path) }).withResponse()
  await client.close()

  expect(response.requestId).toBe('req_1')
  expect(versions).toEqual([protocol === 'HTTP/2' ? '2.0' : '1.1'])
  const start = bodies[0]?.indexOf(image.subarray(0, 64)) ?? -1
  expect(bodies[0]?.subarray(start, start + image.byteLength).equals(image)).toBe(true)
})
