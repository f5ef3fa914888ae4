import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { WebhookHandler } from 'identity-service-sdk/webhooks'

const { DATABASE_URL, HOST = '127.0.0.1', PORT = '3000' } = process.env
if (!DATABASE_URL) throw new Error('DATABASE_URL is missing: set it to the address of a database')
export const databaseUrl = DATABASE_URL

/** Receives webhooks until the process is asked to stop. */
export async function serve(handler: WebhookHandler, close: () => Promise<unknown>) {
  const server = createServer(async (request, response) => {
    const { status, outcome, headers } = await handler.handle({
      body: await buffer(request),
      headers: request.headers,
    })
    response.writeHead(status, headers).end(outcome)
  })
  server.listen(Number(PORT), HOST)
  await once(server, 'listening')

  async function stop() {
    server.close()
    await once(server, 'close')
    await close()
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
  console.log(`listening on port ${PORT}`)
}
