import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { expressWebhook } from '../../src/express.ts'
import { fastifyWebhook } from '../../src/fastify.ts'
import { createWebhookHandler } from '../../src/webhooks.ts'
import { memoryInUse } from '../support/memory.ts'
import { clockAt, plausibleHeaderLines, plausibleHeaders, secret, signedAt } from '../support/webhook.ts'

const chunks = 1_000_000
const MiB = 1024 * 1024
/** Several times the body, and a small part of what a million objects take. */
const mostRetained = 16 * MiB

const options = { secret, now: clockAt(signedAt), onTestEvent: () => {}, onError: () => {} }

const listening = async (server: Server) => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

const servers = [
  ['expressWebhook', () => listening(createServer(expressWebhook(options) as RequestListener))],
  [
    'fastifyWebhook',
    async () => {
      const app = Fastify()
      await app.register(fastifyWebhook, { path: '/', ...options })
      await app.ready()
      return listening(app.server)
    },
  ],
] as const

/** Sends chunks of one byte each, and resolves when the server has received them. */
async function sendChunks(server: Server, sender: Socket): Promise<void> {
  const received = once(server, 'connection')
  sender.write(
    `POST / HTTP/1.1\r\nhost: localhost\r\n${plausibleHeaderLines}transfer-encoding: chunked\r\nconnection: close\r\n\r\n`,
  )
  const [socket] = (await received) as [Socket]
  const block = '1\r\nx\r\n'.repeat(10_000)
  for (let sent = 0; sent < chunks; sent += 10_000) if (!sender.write(block)) await once(sender, 'drain')
  while (socket.bytesRead < sender.bytesWritten) await setImmediate()
  await setImmediate()
}

it.each(servers)('%s keeps a million chunks of one byte in memory for their bytes', async (_, start) => {
  const server = await start()
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const sender = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const before = memoryInUse()
  await sendChunks(server, sender)
  expect(memoryInUse() - before).toBeLessThan(mostRetained)

  sender.end('0\r\n\r\n')
  let response = ''
  for await (const part of sender) response += part
  expect(response).toContain('{"outcome":"rejected","reason":"signature_mismatch"}')
})

it('handler.fetch keeps a million chunks of one byte in memory for their bytes', async () => {
  const handler = createWebhookHandler(options)
  const before = memoryInUse()
  let sent = 0
  let retained = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new Uint8Array(1))
      if (++sent < chunks) return
      retained = memoryInUse() - before
      controller.close()
    },
  })
  const request = { method: 'POST', headers: plausibleHeaders, body, duplex: 'half' } as RequestInit
  const response = await handler.fetch(new Request('https://app.example.com/webhooks', request))
  expect(response.status).toBe(400)
  expect(retained).toBeLessThan(mostRetained)
})
