import { expect, it } from 'vitest'
import { emulated, origin, receiver } from './emulated.ts'

const callback = 'http://127.0.0.1:9/hook'

/** Creates an emulator, with functions that read and submit pages of its console. */
function withConsole(options: Parameters<typeof emulated>[0] = {}) {
  const { received, deliver } = receiver()
  const base = emulated({ webhooks: { deliver }, ...options })
  const send = (path: string, init: RequestInit = {}) =>
    base.emulator.fetch(new Request(`${origin}/_emulator${path}`, { redirect: 'manual', ...init }))
  const read = async (path: string) => (await send(path)).text()
  const post = (path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    send(path, { method: 'POST', body: new URLSearchParams(fields), headers })
  return { ...base, received, send, read, post }
}

const pages = [
  '',
  '/sessions',
  '/checks',
  '/webhooks',
  '/members',
  '/tokens',
  '/ledger',
  '/requests',
  '/faults',
]

it.each(pages)(
  'shows %s with the warning and the content security policy, and does not log the request',
  async (path) => {
    const { emulator, send } = withConsole()

    const response = await send(path)

    expect(response.status).toBe(200)
    expect(response.headers.get('x-emulator')).toBe('1')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await response.text()).toContain('Nothing is verified.')
    expect(emulator.requests).toEqual([])
  },
)

it('redirects a GET of / to the console in a browser, and returns 404 to other clients', async () => {
  const { emulator } = withConsole()
  const getRoot = (accept: string) => emulator.fetch(new Request(`${origin}/`, { headers: { accept } }))

  const [browser, program] = [await getRoot('text/html,*/*;q=0.8'), await getRoot('*/*')]

  expect([browser.status, browser.headers.get('location')]).toEqual([303, '/_emulator'])
  expect(program.status).toBe(404)
})

it.each([
  ['/unknown', 404],
  ['/sessions/sess_unknown', 404],
  ['/webhooks/evt_unknown', 404],
])('shows that %s does not exist, with status %i', async (path, status) => {
  expect((await withConsole().send(path)).status).toBe(status)
})

it('shows a session with its checks, its timeline and its webhooks', async () => {
  const { emulator, session, decide, read } = withConsole()
  const { session_id } = await session({ callback, vendor_data: 'order 66' })
  emulator.sessions.start(session_id, { checks: { liveness: 'passed' } })
  await emulator.sessions.complete(session_id, 'IN_REVIEW')
  await decide(session_id, 'DECLINED')
  await emulator.webhooks.settled()

  const text = (await read(`/sessions/${session_id}`)).replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

  expect(await read('/sessions')).toContain(`/_emulator/sessions/${session_id}`)
  expect(text).toContain('order 66')
  expect(text).toMatch(/created .* liveness: ✓ passed .*IN_REVIEW .*DECLINED by the API/)
  for (const { id } of emulator.webhooks.deliveries) expect(text).toContain(id)
})

it('shows the metadata of a session, and isolates the text direction of values', async () => {
  const { session, read } = withConsole()
  const reversing = '\u202Ereference'
  const { session_id } = await session({ vendor_data: reversing, metadata: { cart: 'c_17' } })
  const plain = await session({})

  const page = await read(`/sessions/${session_id}`)

  expect(page).toContain('&quot;cart&quot;: &quot;c_17&quot;')
  expect(page).toContain(`<bdi>${reversing}</bdi>`)
  expect(await read(`/sessions/${plain.session_id}`)).toMatch(/Metadata<\/dt><dd><span class="quiet">none/)
})

it('shows a delivery with its request, signature and response, and resends it', async () => {
  const { emulator, received, session, post, read } = withConsole()
  const { session_id } = await session({ callback })
  await emulator.sessions.complete(session_id, 'APPROVED')
  const [{ id, attempts } = { id: '', attempts: [] }] = emulator.webhooks.deliveries

  const response = await post(`/webhooks/${id}/resend`)

  expect([response.status, response.headers.get('location')]).toEqual([303, `/_emulator/webhooks/${id}`])
  expect(received).toHaveLength(2)
  const page = await read(`/webhooks/${id}`)
  expect(page).toContain(attempts[0]?.request.headers['x-svc-signature'])
  expect(page).toContain('Attempt 2')
  expect(await read('/webhooks')).toContain(`/_emulator/webhooks/${id}`)
})

it('shows the status of a delivery', async () => {
  let response = new Response(null, { status: 500 })
  const { emulator, session, read } = withConsole({
    webhooks: { deliver: async () => response.clone(), retryAfterSeconds: [60] },
  })
  const status = async () => /· <\/span>|badge[^>]*>.*?<\/span> ([a-z ]+)</.exec(await read('/webhooks'))?.[1]
  emulator.webhooks.faults.add({ kind: 'lost' })
  const { session_id } = await session({ callback })
  await emulator.sessions.complete(session_id, 'IN_REVIEW')
  const id = emulator.webhooks.deliveries[0]?.id ?? ''

  expect(await status()).toBe('held back')
  await emulator.webhooks.resend(id)
  expect(await status()).toBe('retrying')
  await emulator.clock.advance(60_000)
  expect(await status()).toBe('failed')
  response = new Response()
  await emulator.webhooks.resend(id)
  expect(await status()).toBe('delivered')
})

it('adds and removes faults', async () => {
  const { emulator, call, post, read } = withConsole()
  const status = async () => (await call('GET', '/api/v2/session')).status
  const effect = '503 engine_unreachable'

  await post('/faults', { match: 'sessions.list', effect, when: 'before', times: 'until removed' })
  expect([await status(), await status()]).toEqual([503, 503])
  const page = await read('/faults')
  expect(page).toContain('sessions.list: 503 engine_unreachable, before the operation runs, until removed')
  await post(/\/faults\/\d+\/remove/.exec(page)?.[0] ?? '')

  expect(await status()).toBe(200)
  emulator.faults.add({ match: { method: 'GET' }, reset: true, when: 'after', times: 3 })
  expect(await read('/faults')).toContain(
    'connection reset, after the operation ran and was charged, 3 times',
  )
})

it('offers only effects that the emulator accepts', async () => {
  const { post, read } = withConsole()
  const effects = [...(await read('/faults')).matchAll(/<option value="([^"]*)">/g)].map(([, value]) => value)
  const offered = effects.slice(effects.indexOf('connection reset'), effects.indexOf('before'))

  for (const effect of offered) expect((await post('/faults', { effect: effect as string })).status).toBe(303)
  expect(offered.length).toBeGreaterThan(100)
})

it('sets delivery faults and check results, and clears them', async () => {
  const { emulator, call, received, session, post, read } = withConsole()
  const age = async () => {
    const { data } = await call('POST', '/api/v2/age-verification', {
      json: { dob: '1990-01-01', bands: [18] },
    })
    return (data as { status: string }).status
  }
  await post('/webhooks/faults', { kind: 'duplicate', type: '', times: 'until removed' })
  await post('/checks/outcomes', { type: 'age', status: 'review', times: 'until removed' })

  const { session_id } = await session({ callback })
  await emulator.sessions.complete(session_id, 'APPROVED')
  expect(received).toHaveLength(2)
  expect(await age()).toBe('review')
  expect(await read('/webhooks')).toContain('duplicate, any type, until removed')
  await post('/webhooks/faults/clear')
  await post('/checks/outcomes/clear')

  await emulator.webhooks.resend(emulator.webhooks.deliveries[0]?.id ?? '')
  expect(received).toHaveLength(3)
  expect(await age()).toBe('passed')
  expect(await read('/checks')).toContain('Data of age')
})

it('moves the clock, which expires sessions, and resets the emulator', async () => {
  const { emulator, session, statusOf, post } = withConsole()
  const { session_id } = await session({ ttl_seconds: 3600 })

  await post('/clock', { by: '10 minutes' })
  expect(await statusOf(session_id)).toBe('NOT_STARTED')
  await post('/clock', { by: '1 hour' })
  expect(await statusOf(session_id)).toBe('EXPIRED')
  await post('/reset')

  expect(emulator.requests).toEqual([])
})

it.each([
  ['/clock', { by: '1 second' }],
  ['/faults', { effect: '200 fine' }],
  ['/faults', { effect: 'connection reset', match: 'nothing.at.all' }],
  ['/webhooks/faults', { kind: 'late', type: 'odd' }],
  ['/webhooks/evt_unknown/resend', {}],
  ['/checks/outcomes', { type: 'age', status: 'odd' }],
  ['/checks/outcomes', { type: 'odd', status: 'passed' }],
])('rejects an invalid form at %s with 400: %j', async (path, fields) => {
  expect((await withConsole().post(path, fields as Record<string, string>)).status).toBe(400)
})

it.each([
  { origin: 'https://elsewhere.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
])('rejects a form from another site: %j', async (headers) => {
  const { emulator, session, post } = withConsole()
  await session()

  const response = await post('/reset', {}, headers as Record<string, string>)

  expect(response.status).toBe(403)
  expect(emulator.requests).toHaveLength(1)
})

it('shows the ledger, members with their activation links and issued tokens, but no secrets', async () => {
  const { emulator, call, read, post } = withConsole({
    members: [{ email: 'kim@example.com', first_name: 'Kim', status: 'link_sent' }],
  })
  await call('POST', '/api/v2/age-verification', { json: { dob: '1990-01-01', bands: [18] }, key: 'key-1' })
  const query = new URLSearchParams({
    client_id: 'emulator_client_id',
    redirect_uri: 'http://localhost:3000/callback',
    response_type: 'code',
    scope: 'openid',
    state: 's',
  })
  const back = new URL(emulator.signIn.approve(`${origin}/api/auth/oidc/authorize?${query}`))
  const response = await emulator.fetch(
    new Request(`${origin}/api/auth/oidc/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        grant_type: 'authorization_code',
        client_id: 'emulator_client_id',
        client_secret: 'emulator_client_secret',
        code: back.searchParams.get('code'),
        redirect_uri: 'http://localhost:3000/callback',
      }),
    }),
  )
  const tokens = (await response.json()) as { access_token: string; refresh_token: string; id_token: string }

  const everything = (await Promise.all(pages.map(read))).join('\n')
  expect(everything).toContain('key-1')
  expect(everything).toContain('user_sample')
  expect(everything).toContain(emulator.members.activationLink('kim@example.com')?.split('/').at(-1))
  const secrets = [
    ...Object.values(tokens).filter((value) => String(value).length > 20),
    back.searchParams.get('code'),
    'emulator_client_secret',
    'emulator_api_key',
    emulator.webhooks.secret,
  ]
  expect(secrets.length).toBeGreaterThan(6)
  for (const secret of secrets) expect(everything).not.toContain(secret)
  expect((await post('/tokens/rotate')).status).toBe(303)
})

it('streams each request when it ends, without its query, headers and body', async () => {
  const { send, call } = withConsole()
  const closing = new AbortController()
  const stream = await send('/requests/stream', { signal: closing.signal })
  expect(stream.headers.get('content-type')).toBe('text/event-stream')
  const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
  await reader?.read()

  await call('GET', '/api/v2/session?vendor_data=canary')

  const { value } = (await reader?.read()) ?? {}
  expect(JSON.parse(value?.replace('data: ', '') ?? '')).toEqual({
    at: expect.any(String),
    method: 'GET',
    path: '/api/v2/session',
    operation: 'sessions.list',
    status: '200',
    key: '',
    requestId: expect.stringMatching(/^req_/),
  })
  closing.abort()
  expect(await reader?.read()).toEqual({ done: true, value: undefined })
})

it('limits the number of open logs to 32, and accepts a new one when another closes', async () => {
  const { send } = withConsole()
  const open = () => {
    const closing = new AbortController()
    return { close: () => closing.abort(), response: send('/requests/stream', { signal: closing.signal }) }
  }
  const streams = Array.from({ length: 32 }, open)
  for (const { response } of streams) expect((await response).status).toBe(200)

  expect((await open().response).status).toBe(503)
  streams[0]?.close()
  expect((await open().response).status).toBe(200)
})

it('shows the newest 200 records, with very long values cut', async () => {
  const { session, read } = withConsole()
  for (let i = 0; i < 201; i++) await session({ vendor_data: `n${i}n${'x'.repeat(i === 200 ? 100_000 : 0)}` })

  const page = await read('/sessions')

  expect(page).toContain('Showing the newest 200 of 201.')
  expect(page).toContain('n1n')
  expect(page).not.toContain('>n0n')
  expect(page.length).toBeLessThan(250_000)
})
