import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import { createEmulator, type ListenOptions } from '../../../src/emulator.ts'

/** An address of this machine that others can reach. Whoever connects to it also comes from it. */
const reachable = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses)
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

/** Returns the status of a response to a request that names a loopback host. */
async function statusAt(
  address: string,
  options: ListenOptions,
  path: string,
  method = 'GET',
  headers: Readonly<Record<string, string>> = {},
) {
  const server = await createEmulator().listen({ host: '0.0.0.0', allowRemote: true, ...options })
  onTestFinished(() => server.close())
  const { port } = new URL(server.consoleUrl)
  const sent = request({
    host: address,
    port,
    path,
    method,
    headers: { host: 'localhost', accept: 'text/html', ...headers },
  })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

const own = [
  ['GET', '/_emulator'],
  ['POST', '/_emulator/emulator.reset'],
  ['GET', '/_emulator/health'],
  ['GET', '/_emulator/api/snapshot'],
  ['POST', '/_emulator/api/reset'],
  ['GET', '/'],
] as const

it.skipIf(reachable === undefined).each(own)(
  'rejects %s %s of a peer that is not this machine, also if it names a loopback host',
  async (method, path) => {
    expect(await statusAt(String(reachable), {}, path, method)).toBe(403)
  },
)

it.skipIf(reachable === undefined)('rejects it below the path of a public URL too', async () => {
  const publicUrl = 'https://identity.test/below'

  expect(await statusAt(String(reachable), { publicUrl }, '/below/_emulator/api/sessions')).toBe(403)
})

it.skipIf(reachable === undefined).each(own)(
  'accepts %s %s of that peer with allowRemoteControls',
  async (method, path) => {
    const status = await statusAt(String(reachable), { allowRemoteControls: true }, path, method)

    expect([200, 204, 303]).toContain(status)
  },
)

it.skipIf(reachable === undefined)('serves the API of the service to that peer', async () => {
  expect(await statusAt(String(reachable), {}, '/api/v2/session')).toBe(401)
})

it.each([
  ['127.0.0.1', '0.0.0.0'],
  ['127.0.0.1', '::'],
  ['::1', '::'],
])('accepts a peer at %s of a server at %s', async (address, host) => {
  expect(await statusAt(address, { host }, '/_emulator/health')).toBe(200)
})

const signs = [
  { forwarded: 'for=203.0.113.7' },
  { 'x-forwarded-for': '203.0.113.7' },
  { 'x-forwarded-host': 'tunnel.test' },
  { 'x-forwarded-proto': 'https' },
  { via: '1.1 tunnel' },
  { 'x-real-ip': '203.0.113.7' },
  { host: 'tunnel.test' },
]
const behindProxy = { allowedHosts: ['tunnel.test'] }

it.each(signs)(
  'rejects a request that a proxy on this machine forwards with %o, unless allowRemoteControls is set',
  async (sign) => {
    const allowed = { ...behindProxy, allowRemoteControls: true }

    expect(await statusAt('127.0.0.1', behindProxy, '/_emulator/health', 'GET', sign)).toBe(403)
    expect(await statusAt('127.0.0.1', allowed, '/_emulator/health', 'GET', sign)).toBe(200)
  },
)

it.each(own)('rejects %s %s that a proxy on this machine forwards', async (method, path) => {
  expect(await statusAt('127.0.0.1', behindProxy, path, method, { via: '1.1 tunnel' })).toBe(403)
})

it('serves the API of the service through a proxy', async () => {
  const sign = { 'x-forwarded-for': '203.0.113.7', host: 'tunnel.test' }

  expect(await statusAt('127.0.0.1', behindProxy, '/api/v2/session', 'GET', sign)).toBe(401)
})

it('below a path of your own server, forwarded requests and other hosts do not reach console and control API', async () => {
  const fetch = createEmulator().mount('/identity')

  for (const path of ['', '/emulator.reset', '/api/sessions', '/health']) {
    const forwarded = { headers: { 'x-forwarded-for': '203.0.113.7' } }
    expect((await fetch(`http://localhost/identity/_emulator${path}`, forwarded)).status).toBe(403)
    expect((await fetch(`https://app.test/identity/_emulator${path}`)).status).toBe(403)
  }
})
