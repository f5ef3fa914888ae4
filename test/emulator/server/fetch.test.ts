import { expect, it } from 'vitest'
import { OidcClient } from '../../../src/index.ts'
import { apiKey, inProcess, origin } from '../support/service.ts'

const path = '/api/v2/session'
const create: RequestInit = {
  method: 'POST',
  headers: { ...apiKey, 'content-type': 'application/json' },
  body: JSON.stringify({ vendor_data: 'user-42' }),
}

it.each([
  ['a string', () => [origin + path, create]],
  ['a URL', () => [new URL(path, origin), create]],
  ['a Request', () => [new Request(origin + path, create)]],
  ['a Request and changes to it', () => [new Request(origin + path, { headers: apiKey }), create]],
] as const)('takes %s as the global fetch does, at any base URL', async (_, params) => {
  const { emulator } = inProcess()

  for (const fetch of [emulator.fetch, emulator.at(origin), emulator.options.verification.fetch]) {
    const [input, init] = params() as [string | URL | Request, RequestInit?]
    const response = await fetch(input, init)

    expect(response.status).toBe(200)
  }
  expect(emulator.requests.map(({ method, operation }) => [method, operation])).toEqual(
    Array(3).fill(['POST', 'sessions.create']),
  )
})

it('rejects a relative URL with a TypeError, and does not throw it', async () => {
  const { emulator } = inProcess()

  const response = emulator.fetch(path)

  await expect(response).rejects.toBeInstanceOf(TypeError)
})

it('rejects with the abort reason of the signal in init', async () => {
  const { emulator } = inProcess()

  const response = emulator.fetch(origin + path, { signal: AbortSignal.abort('enough') })

  await expect(response).rejects.toBe('enough')
  expect(emulator.requests).toEqual([])
})

it('accepts a Request of another implementation', async () => {
  const { emulator } = inProcess()
  const { Request: ForeignRequest } = await import('undici')
  const request = new ForeignRequest(origin + path, { headers: apiKey })

  const response = await emulator.fetch(request as unknown as Request)

  expect(response.status).toBe(200)
})

it('all functions of the emulator work on their own', async () => {
  const { emulator, session } = inProcess({ members: [{ email: 'bo@example.com', status: 'link_sent' }] })
  const { start, complete } = emulator.sessions
  const { resend, settled, faults: deliveryFaults } = emulator.webhooks
  const { approve, deny, rotateKeys } = emulator.signIn
  const { activate, activationLink, removeIdentity } = emulator.members
  const { script, clear: clearScripts } = emulator.checks
  const { add, clear } = emulator.faults
  const { now, advance } = emulator.clock
  const { fetch, at, reset, listen } = emulator
  const { session_id } = await session({ callback: 'http://127.0.0.1:9/hook' })
  const login = await new OidcClient(emulator.options.oidc).createAuthorization()

  start(session_id)
  await complete(session_id, 'APPROVED')
  await settled()
  for (const { id } of emulator.webhooks.deliveries) await resend(id)
  deliveryFaults.add({ kind: 'lost' })
  deliveryFaults.clear()
  expect(approve(login.url)).toContain('code=')
  expect(deny(login.url)).toContain('error=access_denied')
  await rotateKeys()
  expect(activationLink('bo@example.com')).toMatch(/^https:/)
  expect([activate('bo@example.com').status, removeIdentity('bo@example.com').status]).toEqual(['active', 'active'])
  script('liveness', 'failed')
  clearScripts()
  add({ status: 503 })
  clear()
  await advance(1_000)
  expect(now()).toBeInstanceOf(Date)
  const { close, url } = await listen()
  expect((await at(url)(`${url}${path}`, { headers: apiKey })).status).toBe(200)
  await close()
  reset()
  expect((await fetch(`${origin}${path}/${session_id}`, { headers: apiKey })).status).toBe(404)
})
