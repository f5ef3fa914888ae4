import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { type ConnectProxy, connectProxy } from '../support/connect-proxy.ts'
import { documentedCode } from '../support/documented-code.ts'
import { selfSigned } from '../support/self-signed.ts'

const guide = documentedCode('docs/guides/proxies-and-tls.md')

beforeEach(() => guide.emulator.reset())

async function aProxy(): Promise<ConnectProxy> {
  const proxy = await connectProxy()
  onTestFinished(() => proxy.close())
  return proxy
}

const service = () => new URL(guide.service.url).host

it('a client sends its requests through the given proxy', async () => {
  const proxy = await aProxy()

  expect(await guide.run('Use a proxy', { env: { PROXY_URL: proxy.url } })).toBe('0\n')

  expect(proxy.tunnels).toEqual([service()])
})

/** Starts a gateway in front of the emulator that requests a client certificate. */
async function gateway() {
  const visitors: boolean[] = []
  const { key, cert } = selfSigned
  const server = createServer({ key, cert, ca: cert, requestCert: true }, async (request, response) => {
    visitors.push((request.socket as TLSSocket).authorized)
    const headers = { 'x-api-key': String(request.headers['x-api-key']) }
    const upstream = await fetch(guide.service.url + request.url, { headers })
    response.writeHead(upstream.status).end(await upstream.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, visitors }
}

it('a client trusts a custom CA and presents its certificate', async () => {
  const { url, visitors } = await gateway()
  const { cert, key } = selfSigned
  const files = { 'ca.pem': cert, 'client.pem': cert, 'client-key.pem': key }
  for (const [name, text] of Object.entries(files)) await writeFile(join(guide.installed.project, name), text)

  const printed = await guide.run('Custom CA and mutual TLS', { env: { SVC_BASE_URL: url } })

  expect([printed, visitors]).toEqual(['0\n', [true]])
})

it('uses the given fetch instead of the pool', async () => {
  expect(await guide.run('Use a custom fetch')).toBe('GET /api/v2/session\n0\n')
})
