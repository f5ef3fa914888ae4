import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/emulator.ts'
import { OidcClient, OrgClient, VerificationClient } from '../../../src/index.ts'

/** As a program without our types reads it. */
type Json = ReturnType<typeof JSON.parse>

const origin = 'http://127.0.0.1:4010'

/** An emulator, and a function that calls its control API as a program in another language does. */
function controlled(options: Parameters<typeof createEmulator>[0] = {}) {
  const emulator = createEmulator({ seed: 1, ...options })
  const at = emulator.at(origin)
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    at(`${origin}/_emulator/${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  const call = async (method: string, path: string, body?: unknown): Promise<{ status: number; data?: Json }> => {
    const response = await send(method, `api${path}`, body)
    return response.status === 204 ? { status: 204 } : { status: response.status, data: await response.json() }
  }
  const client = new VerificationClient({ ...emulator.options.verification, maxRetries: 0 })
  return { emulator, send, call, client }
}

it('health says that the emulator runs, and its time', async () => {
  const { send } = controlled({ clock: () => new Date('2026-06-01T12:00:00Z') })

  const response = await send('GET', 'health')

  expect(response.headers.get('x-emulator')).toBe('1')
  expect(await response.json()).toEqual({ status: 'ok', now: '2026-06-01T12:00:00.000Z' })
})

it.each([
  ['complete', undefined, 'APPROVED'],
  ['complete', { status: 'ABANDONED' }, 'ABANDONED'],
  ['decline', { checks: { face_match: 'failed' } }, 'DECLINED'],
  ['expire', undefined, 'EXPIRED'],
  ['review', undefined, 'IN_REVIEW'],
  ['start', undefined, 'IN_PROGRESS'],
])('POST sessions/{id}/%s with %o leaves the session %s', async (action, body, status) => {
  const { call, client } = controlled()
  const { session_id } = await client.sessions.create({ workflow_id: 'wf_identity', vendor_data: 'user-42' })

  const { data } = await call('POST', `/sessions/${session_id}/${action}`, body)

  expect(data).toMatchObject({ session_id, status, vendor_data: 'user-42' })
  expect((await client.sessions.retrieve(session_id)).status).toBe(status)
  expect((await call('GET', `/sessions/${session_id}`)).data).toEqual(data)
  expect((await call('GET', '/sessions')).data).toEqual([data])
})

it('scripts checks, and clears the scripts', async () => {
  const { call, client } = controlled()
  const age = () => client.checks.age({ dob: '1990-01-01', bands: [18] })

  expect(await call('POST', '/checks', { type: 'age', outcome: 'failed', times: 'Infinity' })).toEqual({
    status: 204,
  })
  expect((await age()).check.status).toBe('failed')
  expect((await age()).check.status).toBe('failed')
  await call('DELETE', '/checks')
  expect((await age()).check.status).toBe('passed')
})

it('adds faults of requests, lists them, and is not affected by them', async () => {
  const { call, client } = controlled()

  await call('POST', '/faults', { status: 503, times: 'Infinity' })

  expect((await call('GET', '/faults')).data).toMatchObject([{ status: 503, left: 'Infinity' }])
  await expect(client.sessions.list()).rejects.toMatchObject({ status: 503 })
  await call('DELETE', '/faults')
  await expect(client.sessions.list()).resolves.toEqual([])
})

it('shows, resends and disturbs webhooks', async () => {
  const received: string[] = []
  const { call, client } = controlled({
    webhooks: {
      destinations: ['https://app.example.test/webhooks'],
      deliver: async (...given) => {
        received.push(await new Request(...given).text())
        return new Response()
      },
    },
  })
  const callback = 'https://app.example.test/webhooks'
  const { session_id } = await client.sessions.create({ workflow_id: 'wf_identity', callback })
  await call('POST', '/webhooks/faults', { kind: 'lost' })
  await call('POST', `/sessions/${session_id}/complete`)
  const [delivery] = (await call('GET', '/webhooks')).data
  expect(received).toEqual([])

  await call('POST', `/webhooks/${delivery.id}/resend`)
  await call('POST', '/webhooks/test', { type: 'verification.approved' })
  await call('POST', '/webhooks/settled')

  expect(received.map((body) => JSON.parse(body).type)).toEqual(['verification.approved', 'verification.approved'])
  await call('POST', '/webhooks/faults', { kind: 'duplicate' })
  expect((await call('DELETE', '/webhooks/faults')).status).toBe(204)
})

it('moves the clock, which expires sessions', async () => {
  const { call, client } = controlled({ clock: () => new Date('2026-06-01T12:00:00Z') })
  const { session_id } = await client.sessions.create({ workflow_id: 'wf_identity' })

  const { data } = await call('POST', '/clock/advance', { ms: 2 * 3_600_000 })

  expect(data).toEqual({ now: '2026-06-01T14:00:00.000Z' })
  expect((await call('GET', '/clock')).data).toEqual(data)
  expect((await client.sessions.retrieve(session_id)).status).toBe('EXPIRED')
})

it('lists members, activates one by the link, and removes an identity', async () => {
  const { call, emulator } = controlled()
  await new OrgClient(emulator.options.org).members.add({ members: [{ email: 'bo@example.com' }] })

  const [invited] = (await call('GET', '/members')).data
  expect(invited.activation_link).toMatch(/^http:\/\/127\.0\.0\.1:4010\//)
  expect((await call('POST', `/members/${invited.member_id}/activate`)).data).toMatchObject({
    status: 'active',
  })
  expect((await call('POST', `/members/${invited.member_id}/remove-identity`)).data).toMatchObject({
    svc_id: null,
  })
})

it('approves and denies sign-ins, rotates keys, and shows tokens without their secrets', async () => {
  const { call, emulator } = controlled()
  const oidc = new OidcClient(emulator.options.oidc)
  const login = await oidc.createAuthorization()

  const denied = await call('POST', '/sign-in/deny', { url: String(login.url) })
  const { data } = await call('POST', '/sign-in/approve', { url: String(login.url) })
  const tokens = await oidc.handleCallback(data.url, login)

  expect(denied.data.url).toContain('error=access_denied')
  const issued = await call('GET', '/tokens')
  expect(issued.data).toMatchObject([{ sub: tokens.claims.sub, status: 'live' }])
  expect(JSON.stringify(issued.data)).not.toContain(tokens.refresh_token)
  expect((await call('POST', '/sign-in/rotate-keys', { keepOld: false })).status).toBe(204)
})

it('shows charges and requests, with every secret of a body masked, and not its own requests', async () => {
  const { call, client, emulator } = controlled()
  await client.checks.age({ dob: '1990-01-01', bands: [18] })
  const oidc = new OidcClient(emulator.options.oidc)
  const login = await oidc.createAuthorization()
  const callback = emulator.signIn.approve(login.url)
  const { refresh_token } = await oidc.handleCallback(callback, login)
  await oidc.refresh(String(refresh_token))

  const { data: requests } = await call('GET', '/requests')

  expect((await call('GET', '/ledger')).data).toMatchObject([{ operation: 'checks.age' }])
  const text = JSON.stringify(requests)
  for (const secret of [refresh_token, emulator.options.oidc.clientSecret, login.codeVerifier])
    expect(text).not.toContain(secret)
  expect(text).toContain('[masked]')
  expect(text).toContain('1990-01-01')
  expect(text).not.toContain('/_emulator')
})

it.each([
  [
    'a form whose name of a secret is encoded',
    'application/x-www-form-urlencoded',
    'client%5Fsecret=canary&grant_type=x',
  ],
  ['JSON whose name of a secret is escaped', 'application/json', '{"a":[{"\\u0063ode":{"b":"canary"}}]}'],
  ['plain text', 'text/plain', 'code is canary'],
  ['JSON that is sent as a form', 'application/x-www-form-urlencoded', '{"client_secret":"canary","code":"canary"}'],
  ['text that is sent as a form', 'application/x-www-form-urlencoded', '{"client_secret":"canary"'],
])('shows no secret of %s', async (_, type, body) => {
  const { call, emulator } = controlled()
  await emulator.fetch(`${origin}/api/v2/unknown`, {
    method: 'POST',
    body,
    headers: { 'content-type': type },
  })

  expect(JSON.stringify((await call('GET', '/requests')).data)).not.toContain('canary')
})

it('shows no token of a session', async () => {
  const { call, client } = controlled()
  const { session_token } = await client.sessions.create({ workflow_id: 'wf_identity' })

  expect(JSON.stringify((await call('GET', '/sessions')).data)).not.toContain(session_token)
})

it('resets the emulator', async () => {
  const { call, client } = controlled()
  await client.sessions.create({ workflow_id: 'wf_identity' })

  expect((await call('POST', '/reset')).status).toBe(204)

  expect((await call('GET', '/sessions')).data).toEqual([])
})

it.each([
  ['POST', '/sessions/sess_1/complete', undefined, 400, /sess_1/],
  ['GET', '/sessions/sess_1', undefined, 400, /does not exist: sess_1/],
  ['POST', '/clock/advance', { by: 1 }, 400, /clock.advance: by is not an option. The options are ms./],
  ['POST', '/clock/advance', {}, 400, /clock.advance: ms is missing/],
  ['POST', '/reset', { hard: true }, 400, /hard is not an option. There are none/],
  ['POST', '/sessions/sess_1/complete', { id: 'sess_2' }, 400, /id is in the path/],
  ['POST', '/checks', '[1]', 400, /must be a JSON object/],
  ['POST', '/checks', 'type=age', 400, /must be a JSON object/],
  ['POST', '/reset', ' '.repeat(1024 * 1024 + 1), 400, /larger than/],
  ['PUT', '/reset', undefined, 404, /Unknown control: PUT .*openapi\.json/],
  ['GET', '/unknown', undefined, 404, /Unknown control/],
])('%s %s with %o responds with %i and what is wrong', async (method, path, body, status, message) => {
  const { call } = controlled()

  expect(await call(method, path, body)).toEqual({
    status,
    data: { error: { message: expect.stringMatching(message) } },
  })
})

it.each(['http://192.168.1.5:4010', 'https://emulator.example.com'])(
  'rejects a request to the host %s, and changes nothing',
  async (address) => {
    const { emulator, client } = controlled()
    await client.sessions.create({ workflow_id: 'wf_identity' })

    for (const path of ['api/sessions', 'health']) {
      const response = await emulator.fetch(`${address}/_emulator/${path}`)
      expect(response.status).toBe(403)
      expect(await response.json()).toEqual({ error: { message: expect.stringContaining('loopback') } })
    }
    expect((await emulator.fetch(`${address}/_emulator/api/reset`, { method: 'POST' })).status).toBe(403)
    expect(await client.sessions.list()).toHaveLength(1)
  },
)

it.each([{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }])(
  'rejects a request of another site with %o, also one that only reads',
  async (headers) => {
    const { send, client } = controlled()
    await client.sessions.create({ workflow_id: 'wf_identity' })

    expect((await send('GET', 'api/sessions', undefined, headers)).status).toBe(403)
    expect((await send('POST', 'api/reset', undefined, headers)).status).toBe(403)
    expect(await client.sessions.list()).toHaveLength(1)
  },
)

it('a page of the emulator itself may call the control API', async () => {
  const { send } = controlled()

  expect((await send('GET', 'api/sessions', undefined, { 'sec-fetch-site': 'same-origin', origin })).status).toBe(200)
})

it('describes every control in its OpenAPI document, each with an id of its own', async () => {
  const { call } = controlled()
  const { data: document } = await call('GET', '/openapi.json')
  const operations = Object.entries<Record<string, { operationId: string; summary: string }>>(document.paths).flatMap(
    ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )

  expect(document.openapi).toBe('3.1.0')
  expect(operations.length).toBeGreaterThan(25)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const { path, method, summary } of operations) {
    expect(summary).toMatch(/^[A-Z].*\.$/)
    // Every documented path is served: what is wrong is the id or the body, and never the path.
    const { data } = await call(
      method.toUpperCase(),
      path.replaceAll(/\{\w+\}/g, 'id_1'),
      method === 'post' ? { unknown: 1 } : undefined,
    )
    expect(JSON.stringify(data) ?? '').not.toContain('Unknown control')
  }
})

it('describes the service with its own address, and to loopback hosts only', async () => {
  const { emulator, send } = controlled()

  const response = await send('GET', 'openapi.json')
  const remote = await emulator.fetch('http://192.0.2.1/_emulator/openapi.json')

  expect(response.headers.get('content-type')).toMatch('application/json')
  const document = (await response.json()) as Json
  expect(document.servers).toEqual([expect.objectContaining({ url: origin })])
  expect(JSON.stringify(document)).not.toContain('example.com/api')
  expect(document.paths['/api/sdk/members'].servers).toEqual([expect.objectContaining({ url: origin })])
  expect(remote.status).toBe(403)
  expect(emulator.requests).toEqual([])
})

it('GET snapshot returns the state, and POST restore replaces it', async () => {
  const { call, client } = controlled()
  const { session_id } = await client.sessions.create({ workflow_id: 'wf_identity' })
  const { data } = await call('GET', '/snapshot')
  await call('POST', `/sessions/${session_id}/decline`)

  expect(await call('POST', '/restore', data)).toEqual({ status: 204 })
  expect((await client.sessions.retrieve(session_id)).status).toBe('NOT_STARTED')
})

it('POST restore rejects what is not a snapshot with 400, and accepts more than other controls', async () => {
  const { call } = controlled()
  const { data } = await call('GET', '/snapshot')

  expect(await call('POST', '/restore', { ...data, version: 1 })).toEqual({
    status: 400,
    data: {
      error: {
        message: expect.stringContaining('the snapshot has version 1, and this package reads version 3'),
      },
    },
  })
  const large = { ...data, state: { ...data.state, faceUuid: 'x'.repeat(2 * 1024 * 1024) } }
  expect((await call('POST', '/restore', large)).data.error.message).toContain('the snapshot was changed')
})
