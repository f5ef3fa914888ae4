import { once } from 'node:events'
import { OidcClient } from 'identity-service-sdk'
import { createApp } from './app.ts'
import { identityService } from './provider.ts'

const { PORT = '3000', HOST = '127.0.0.1' } = process.env
const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env

const oidc = new OidcClient() // reads SVC_BASE_URL, SVC_CLIENT_ID and SVC_CLIENT_SECRET
const provider = identityService({ oidc, baseUrl: setting('SVC_BASE_URL'), clientId: setting('SVC_CLIENT_ID') })
const app = createApp({ provider, secret: setting('AUTH_SECRET'), isSecure: PUBLIC_URL.startsWith('https:') })
const server = app.listen(Number(PORT), HOST)
await once(server, 'listening')

function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is missing`)
  return value
}

async function stop() {
  server.close()
  // Closes connections once they are idle; otherwise their clients could keep them open.
  const sweep = setInterval(() => server.closeIdleConnections(), 100)
  await once(server, 'close')
  clearInterval(sweep)
  await oidc.close()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
console.log(`listening on ${PUBLIC_URL}`)
