import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { expect, it, vi } from 'vitest'
import { createEmulator, type RecordedRequest } from '../../src/emulator.ts'
import { ConfigurationError } from '../../src/index.ts'
import { freePort } from '../support/free-port.ts'
import { emulated, requestOf, start } from './emulated.ts'

it('ends sessions that run out while nobody calls, as long as it listens', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  let now = start
  const { emulator, session } = emulated({
    clock: () => now,
    webhooks: { deliver: async () => new Response() },
  })
  const server = await emulator.listen()
  await session({ callback: 'http://127.0.0.1:9/hook', ttl_seconds: 60 })
  now = new Date(start.getTime() + 60_000)
  expect(emulator.webhooks.deliveries).toEqual([])

  await vi.advanceTimersByTimeAsync(1000)

  expect(emulator.webhooks.deliveries.map(({ event }) => event.type)).toEqual(['verification.expired'])
  await server.close()
  expect(vi.getTimerCount()).toBe(0)
})

it('tells of each request once it is over, answered or not, also after a reset', async () => {
  const told: RecordedRequest[] = []
  const { emulator, call } = emulated({ onRequest: (request) => told.push(request) })
  emulator.faults.add({ match: 'workflows.list', reset: true })

  await call('GET', '/api/v2/session')
  await expect(call('GET', '/api/v2/workflows')).rejects.toThrow(TypeError)
  emulator.reset()
  await call('GET', '/nowhere')

  expect(told.map(({ path, status }) => [path, status])).toEqual([
    ['/api/v2/session', 200],
    ['/api/v2/workflows', undefined],
    ['/nowhere', 404],
  ])
})

it('tells of a request whose caller gave up', async () => {
  const told: RecordedRequest[] = []
  const { emulator } = emulated({ onRequest: (request) => told.push(request) })
  emulator.faults.add({ match: 'sessions.list', delayMs: 60_000 })
  const leaving = new AbortController()
  const asked = emulator.fetch(requestOf('GET', '/api/v2/session', { signal: leaving.signal }))
  await vi.waitFor(() => expect(emulator.requests).toHaveLength(1))

  leaving.abort(new Error('enough'))

  await expect(asked).rejects.toThrow('enough')
  await vi.waitFor(() => expect(told).toHaveLength(1))
  expect(told[0]).not.toHaveProperty('status')
})

it('gives out addresses under its public address, and answers to that host', async () => {
  const emulator = createEmulator()
  const port = await freePort()
  const server = await emulator.listen({ port, publicUrl: 'https://identity.test' })
  const local = emulator.options.verification
  const headers = { host: 'identity.test', 'x-api-key': local.apiKey, 'content-type': 'application/json' }

  const sent = httpRequest({ host: '127.0.0.1', port, path: '/api/v2/session', method: 'POST', headers }).end(
    '{}',
  )
  const [response] = await once(sent, 'response')
  let body = ''
  for await (const chunk of response) body += chunk

  expect(server.url).toBe('https://identity.test')
  expect(local.baseUrl).toBe('https://identity.test')
  expect(JSON.parse(body).data.url).toMatch(/^https:\/\/identity\.test\/s\/\w+$/)
  await server.close()
})

it.each(['identity.test', 'ftp://identity.test', 'https://identity.test?a=1', 'https://u:p@identity.test'])(
  'refuses %s as its public address',
  async (publicUrl) => {
    await expect(createEmulator().listen({ publicUrl })).rejects.toThrow(ConfigurationError)
  },
)

it('a path that looks like an address stays a path', async () => {
  const { emulator } = emulated()

  const response = await emulator.fetch(
    new Request('https://identity.example//elsewhere.example/api/v2/session'),
  )

  expect(response.status).toBe(404)
})
