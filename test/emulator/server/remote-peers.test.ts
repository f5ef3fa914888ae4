import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { expect, it, onTestFinished } from 'vitest'
import { createEmulator, type ListenOptions } from '../../../src/emulator.ts'

/** An address of this machine that others can reach. Whoever connects to it also comes from it. */
const reachable = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses)
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

/** Returns the status and the body of a response to a request that names a loopback host. */
async function statusAt(address: string, options: ListenOptions, path: string, method = 'GET') {
  const server = await createEmulator().listen({ host: '0.0.0.0', allowRemote: true, ...options })
  onTestFinished(() => server.close())
  const { port } = new URL(server.consoleUrl)
  const sent = request({
    host: address,
    port,
    path,
    method,
    headers: { host: 'localhost', accept: 'text/html' },
  })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

const own = [
  ['GET', '/_emulator'],
  ['POST', '/_emulator/reset'],
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
