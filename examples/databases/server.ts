import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { apps } from './apps.ts'

const { DATABASE_URL, HOST = '127.0.0.1', LIBRARY = '', PORT = '3000' } = process.env
if (!DATABASE_URL) throw new Error('DATABASE_URL is missing: set it to the address of a database')
const open = apps[LIBRARY]
if (!open) throw new Error(`LIBRARY must be one of ${Object.keys(apps).join(', ')}`)

const { handler, close } = await open(DATABASE_URL)

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
