import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createEmulator, type Emulator, type ListenOptions } from '../../../src/emulator.ts'
import { ConfigurationError } from '../../../src/errors/sdk-error.ts'
import { freePort } from '../../support/free-port.ts'
import { selfSigned } from '../../support/self-signed.ts'
import { form, photo } from '../support/images.ts'
import { inProcess, later, start } from '../support/service.ts'
import { callback } from '../support/webhook-receivers.ts'

/** The globals before any server listens. */
const globalsBefore = [globalThis.Request, globalThis.Response]

const headers = { 'x-api-key': 'emulator_api_key' }
const json = { ...headers, 'content-type': 'application/json' }

async function listening(emulator: Emulator, options: Parameters<Emulator['listen']>[0] = {}) {
  const server = await emulator.listen(options)
  onTestFinished(() => server.close())
  return server
}

/** Sends a request with a certain Host header, which `fetch` does not allow. */
async function sendTo(url: string, host: string, method = 'GET', body = '') {
  const request = httpRequest(url, { method, headers: { ...json, host } }).end(body)
  const [response]: IncomingMessage[] = await once(request, 'response')
  let text = ''
  for await (const chunk of response ?? []) text += chunk
  return { status: response?.statusCode, headers: response?.headers, text }
}

const statusFor = async (url: string, host: string) => (await sendTo(`${url}/api/v2/session`, host)).status

it('serves the API, the hosted page and its form on a loopback port of its choice', async () => {
  const server = await listening(createEmulator())
  const created = await fetch(`${server.url}/api/v2/session`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ workflow_id: 'wf_identity', redirect_url: 'https://app.example/back' }),
  })
  const { data } = (await created.json()) as { data: { session_id: string; url: string } }
  const page = await fetch(data.url)
  const submitted = await fetch(data.url, {
    method: 'POST',
    body: new URLSearchParams({ choice: 'approve' }),
    redirect: 'manual',
  })
  const check = await fetch(`${server.url}/api/v2/liveness`, {
    method: 'POST',
    headers,
    body: form({ image: photo }),
  })

  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(created.headers.get('x-emulator')).toBe('1')
  expect(created.headers.get('x-request-id')).toMatch(/^req_/)
  expect(data.url.startsWith(`${server.url}/s/`)).toBe(true)
  expect(await page.text()).toContain('Local emulator')
  expect(submitted.headers.get('location')).toContain(`session_id=${data.session_id}&status=APPROVED`)
  expect(await check.json()).toMatchObject({ success: true })
})

it('is the base URL of the in-process options while it listens', async () => {
  const emulator = createEmulator()
  const baseUrl = () => emulator.options.verification.baseUrl
  expect(baseUrl()).toBe('https://localhost:1')

  const server = await emulator.listen()

  expect(baseUrl()).toBe(server.url)
  await server.close()
  expect(baseUrl()).toBe('https://localhost:1')
})

it('ends open requests and frees the port when it is closed', async () => {
  const emulator = createEmulator()
  const server = await emulator.listen()
  emulator.faults.add({ match: 'sessions.list', delayMs: 60_000 })
  const pending = fetch(`${server.url}/api/v2/session`, { headers })
  const failed = expect(pending).rejects.toThrow(TypeError)
  while (emulator.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))

  await server.close()

  await failed
  const again = await listening(emulator, { port: Number(new URL(server.url).port) })
  expect(again.url).toBe(server.url)
})

it.each<[message: string, options: ListenOptions]>([
  ['port must be a whole number from 0 to 65535', { port: 65_536 }],
  ['192.0.2.1 is not an address of this machine: choose another host', { host: '192.0.2.1', allowRemote: true }],
])('says which option of listen to change: %s', async (message, options) => {
  await expect(createEmulator().listen(options)).rejects.toThrow(
    new ConfigurationError({ message: `emulator.listen: ${message}` }),
  )
})

it('rejects a port that is in use with a ConfigurationError that names host and port', async () => {
  const emulator = createEmulator()
  const server = await listening(emulator)
  const port = Number(new URL(server.url).port)

  const listened = emulator.listen({ port })

  await expect(listened).rejects.toBeInstanceOf(ConfigurationError)
  await expect(listened).rejects.toMatchObject({
    message: `emulator.listen: port ${port} on 127.0.0.1 is in use: choose another port, or 0 for a free one`,
    cause: { code: 'EADDRINUSE' },
  })
  expect(emulator.options.verification.baseUrl).toBe(server.url)
})

it.each([
  ['127.0.0.1:80', 200],
  ['localhost:4000', 200],
  ['app.localhost', 421],
  ['[::1]:4000', 200],
  ['rebound.example', 421],
  ['127.0.0.1.example', 421],
  ['192.168.1.20', 421],
  ['1.2.3.4.5', 421],
  ['xn--a', 421],
])('serves only names of this machine: the Host %s gets %i', async (host, status) => {
  const emulator = createEmulator()
  const server = await listening(emulator)

  expect(await statusFor(server.url, host)).toBe(status)
  expect(emulator.requests).toHaveLength(status === 200 ? 1 : 0)
})

it('returns 400 in the documented envelope for a Host header that is not a host', async () => {
  const server = await listening(createEmulator())

  const response = await sendTo(server.url, 'a b')

  expect(response.status).toBe(400)
  expect(response.headers?.['x-emulator']).toBe('1')
  expect(response.headers?.['x-request-id']).toMatch(/^req_/)
  expect(JSON.parse(response.text)).toMatchObject({
    success: false,
    data: null,
    error: { message: expect.any(String) },
  })
})

it.each(['0.0.0.0', '::', '192.168.1.20', 'example.com'])(
  'throws ConfigurationError for the host %s without allowRemote',
  async (host) => {
    await expect(createEmulator().listen({ host })).rejects.toThrow(ConfigurationError)
  },
)

it('serves other machines with allowRemote, by address and by the names in allowedHosts', async () => {
  const server = await listening(createEmulator(), {
    host: '0.0.0.0',
    allowRemote: true,
    allowedHosts: ['identity'],
  })
  const { url } = server

  expect(new URL(url).hostname).toBe('127.0.0.1')
  expect(await statusFor(url, '192.168.1.20:4000')).toBe(200)
  expect(await statusFor(url, 'identity:4000')).toBe(200)
  expect(await statusFor(url, 'rebound.example')).toBe(421)
})

it('listens on IPv6 loopback', async () => {
  const server = await listening(createEmulator(), { host: '::1' })

  expect(server.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
  expect((await fetch(`${server.url}/api/v2/session`, { headers })).status).toBe(200)
})

it('does not change the globals of the process', async () => {
  const server = await createEmulator().listen()
  await server.close()

  expect([globalThis.Request, globalThis.Response]).toEqual(globalsBefore)
})

it('uses publicUrl in its addresses, and serves that host', async () => {
  const emulator = createEmulator()
  const port = await freePort()
  const server = await listening(emulator, { port, publicUrl: 'https://identity.test' })

  const { text } = await sendTo(`http://127.0.0.1:${port}/api/v2/session`, 'identity.test', 'POST', '{}')

  expect(server.url).toBe('https://identity.test')
  expect(emulator.options.verification.baseUrl).toBe('https://identity.test')
  expect(JSON.parse(text).data.url).toMatch(/^https:\/\/identity\.test\/s\/\w+$/)
})

it.each(['identity.test', 'ftp://identity.test', 'https://identity.test?a=1', 'https://u:p@identity.test'])(
  'throws ConfigurationError for the publicUrl %s',
  async (publicUrl) => {
    await expect(createEmulator().listen({ publicUrl })).rejects.toThrow(ConfigurationError)
  },
)

it('expires sessions while it listens, without a request', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  let now = start
  const { emulator, session } = inProcess({
    clock: () => now,
    webhooks: { deliver: async () => new Response() },
  })
  const server = await emulator.listen()
  await session({ callback, ttl_seconds: 60 })
  now = later(60)
  expect(emulator.webhooks.deliveries).toEqual([])

  await vi.advanceTimersByTimeAsync(1000)

  expect(emulator.webhooks.deliveries.map(({ event }) => event.type)).toEqual(['verification.expired'])
  await server.close()
  expect(vi.getTimerCount()).toBe(0)
})

it('await using closes the server at the end of its block', async () => {
  const emulator = createEmulator()
  let url = ''
  {
    await using server = await emulator.listen()
    url = server.url
    expect((await fetch(`${url}/api/v2/workflows`, { headers })).status).toBe(200)
  }

  await expect(fetch(`${url}/api/v2/workflows`, { headers })).rejects.toThrow()
})

it('serves https with a key and a certificate, and its addresses say so', async () => {
  const server = await createEmulator().listen({ tls: selfSigned })
  onTestFinished(() => server.close())
  const sent = httpsRequest(`${server.url}/api/v2/session`, {
    method: 'POST',
    ca: selfSigned.cert,
    headers: json,
  })
  sent.end('{}')
  const [response] = (await once(sent, 'response')) as [IncomingMessage]

  expect(server.url).toMatch(/^https:/)
  expect(server.consoleUrl).toBe(`${server.url}/_emulator`)
  expect(JSON.parse(await text(response)).data.url).toMatch(`${server.url}/s/`)
})
