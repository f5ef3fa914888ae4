import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import { ConfigurationError } from '../../src/errors/sdk-error.ts'
import { formOf } from './emulated.ts'

/** As they are before any server listens. */
const globalsBefore = [globalThis.Request, globalThis.Response]

const headers = { 'x-api-key': 'emulator_api_key' }
const json = { ...headers, 'content-type': 'application/json' }

/** The status that a request under a certain Host header is answered with. */
async function statusFor(url: string, host: string): Promise<number | undefined> {
  const request = httpRequest(`${url}/api/v2/session`, { headers: { ...headers, host } })
  request.end()
  const [response] = await once(request, 'response')
  response.resume()
  return response.statusCode
}

it('serves the same over HTTP, on a loopback port of its choice', async () => {
  const emulator = createEmulator()
  const server = await emulator.listen()
  try {
    const created = await fetch(`${server.url}/api/v2/session`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ workflow_id: 'wf_identity', redirect_url: 'https://app.example/back' }),
    })
    const { data } = (await created.json()) as { data: { session_id: string; url: string } }
    const page = await fetch(data.url)
    const chosen = await fetch(data.url, {
      method: 'POST',
      body: new URLSearchParams({ choice: 'approve' }),
      redirect: 'manual',
    })
    const image = await fetch(`${server.url}/api/v2/liveness`, {
      method: 'POST',
      headers,
      body: formOf('image'),
    })

    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(created.headers.get('x-emulator')).toBe('1')
    expect(created.headers.get('x-request-id')).toMatch(/^req_/)
    expect(data.url.startsWith(`${server.url}/s/`)).toBe(true)
    expect(await page.text()).toContain('Local emulator')
    expect(chosen.headers.get('location')).toContain(`session_id=${data.session_id}&status=APPROVED`)
    expect(await image.json()).toMatchObject({ success: true })
  } finally {
    await server.close()
  }
})

it('gives addresses of the server to who calls in-process while it listens', async () => {
  const emulator = createEmulator()
  const baseUrl = () => emulator.options.verification.baseUrl
  expect(new URL(baseUrl()).hostname).toMatch(/\.invalid$/)

  const server = await emulator.listen()

  expect(baseUrl()).toBe(server.url)
  await server.close()
  expect(new URL(baseUrl()).hostname).toMatch(/\.invalid$/)
})

it('delivers webhooks to a receiver on this machine', async () => {
  const bodies: string[] = []
  const hook = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    bodies.push(body)
    response.end('thanks')
  }).listen(0, '127.0.0.1')
  await once(hook, 'listening')
  const callback = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`
  const emulator = createEmulator()
  try {
    const { baseUrl, fetch: inProcess } = emulator.options.verification
    const created = await inProcess(`${baseUrl}/api/v2/session`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ workflow_id: 'wf_identity', callback }),
    })
    const { data } = (await created.json()) as { data: { session_id: string } }

    await emulator.sessions.complete(data.session_id, 'DECLINED')

    expect(emulator.webhooks.deliveries).toMatchObject([{ delivered: true, attempts: [{ status: 200 }] }])
    expect(bodies).toEqual([emulator.webhooks.deliveries[0]?.attempts[0]?.request.body])
  } finally {
    hook.closeAllConnections()
    hook.close()
  }
})

it('destroys the socket where a fault resets the connection, before or after the work', async () => {
  const emulator = createEmulator()
  const server = await emulator.listen()
  const send = () =>
    fetch(`${server.url}/api/v2/age-verification`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ dob: '1990-01-01', bands: [18] }),
    })
  try {
    emulator.faults.add({ match: 'checks.age', reset: true })
    await expect(send()).rejects.toThrow(TypeError)
    expect(emulator.ledger).toHaveLength(0)
    emulator.faults.add({ match: 'checks.age', reset: true, when: 'after' })
    await expect(send()).rejects.toThrow(TypeError)
    expect(emulator.ledger).toHaveLength(1)
    expect((await send()).status).toBe(200)
  } finally {
    await server.close()
  }
})

it('close ends what is still being answered, and frees the port', async () => {
  const emulator = createEmulator()
  const server = await emulator.listen()
  emulator.faults.add({ match: 'sessions.list', delayMs: 60_000 })
  const pending = fetch(`${server.url}/api/v2/session`, { headers })
  const refused = expect(pending).rejects.toThrow(TypeError)
  while (emulator.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))

  await server.close()

  await refused
  const again = await emulator.listen({ port: Number(new URL(server.url).port) })
  expect(again.url).toBe(server.url)
  await again.close()
})

it('rejects when the port is taken', async () => {
  const emulator = createEmulator()
  const server = await emulator.listen()

  await expect(emulator.listen({ port: Number(new URL(server.url).port) })).rejects.toThrow('EADDRINUSE')

  expect(emulator.options.verification.baseUrl).toBe(server.url)
  await server.close()
})

it.each([
  ['127.0.0.1:80', 200],
  ['localhost:4000', 200],
  ['app.localhost', 200],
  ['[::1]:4000', 200],
  ['rebound.example', 421],
  ['127.0.0.1.example', 421],
  ['192.168.1.20', 421],
])('answers under the names of this machine only: Host %s gives %i', async (host, status) => {
  const emulator = createEmulator()
  const server = await emulator.listen()
  try {
    expect(await statusFor(server.url, host)).toBe(status)
    expect(emulator.requests).toHaveLength(status === 200 ? 1 : 0)
  } finally {
    await server.close()
  }
})

it('says in the documented envelope that a host name is not served', async () => {
  const server = await createEmulator().listen()
  try {
    const request = httpRequest(server.url, { headers: { host: 'a b' } })
    request.end()
    const [response] = await once(request, 'response')
    let body = ''
    for await (const chunk of response) body += chunk

    expect(response.statusCode).toBe(400)
    expect(response.headers['x-emulator']).toBe('1')
    expect(response.headers['x-request-id']).toMatch(/^req_/)
    expect(JSON.parse(body)).toMatchObject({
      success: false,
      data: null,
      error: { message: expect.any(String) },
    })
  } finally {
    await server.close()
  }
})

it.each(['0.0.0.0', '::', '192.168.1.20', 'example.com'])(
  'does not listen on %s unless other machines are let in on purpose',
  async (host) => {
    await expect(createEmulator().listen({ host })).rejects.toThrow(ConfigurationError)
  },
)

it('lets other machines in when told to, by address and by the names that it is given', async () => {
  const emulator = createEmulator()
  const server = await emulator.listen({ host: '0.0.0.0', allowRemote: true, allowedHosts: ['identity'] })
  const url = server.url.replace('0.0.0.0', '127.0.0.1')
  try {
    expect(await statusFor(url, '192.168.1.20:4000')).toBe(200)
    expect(await statusFor(url, 'identity:4000')).toBe(200)
    expect(await statusFor(url, 'rebound.example')).toBe(421)
  } finally {
    await server.close()
  }
})

it('listens on IPv6 loopback', async () => {
  const server = await createEmulator().listen({ host: '::1' })
  try {
    expect(server.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect((await fetch(`${server.url}/api/v2/session`, { headers })).status).toBe(200)
  } finally {
    await server.close()
  }
})

it('leaves the globals of the process as they are', async () => {
  const server = await createEmulator().listen()
  await server.close()

  expect([globalThis.Request, globalThis.Response]).toEqual(globalsBefore)
})
