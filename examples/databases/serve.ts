import { once } from 'node:events'
import { createServer } from 'node:http'
import { expressWebhook } from 'identity-service-sdk/express'
import type { WebhookHandlerOptions } from 'identity-service-sdk/webhooks'

const { DATABASE_URL, HOST = '127.0.0.1', PORT = '3000' } = process.env
if (!DATABASE_URL) throw new Error('DATABASE_URL is missing: set it to the address of a database')
export const databaseUrl = DATABASE_URL

/** Receives webhooks until the process is asked to stop. */
export async function serve(options: WebhookHandlerOptions, close: () => Promise<unknown>) {
  // It limits the body, and a sender who leaves does not end the process.
  const server = createServer(expressWebhook(options))
  server.listen(Number(PORT), HOST)
  await once(server, 'listening')

  async function stop() {
    server.close()
    await once(server, 'close')
    await close()
  }
  Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal))).then(stop)
  console.log(`listening on port ${PORT}`)
}
