import { expect, it } from 'vitest'
import { emulated, origin, start } from './emulated.ts'

const minutes = 60_000

it('creates a session with every documented field', async () => {
  const { call, post } = emulated()

  const created = await post('/api/v2/session', {
    workflow_id: 'wf_professional',
    redirect_url: 'https://app.example/back',
    callback: 'http://127.0.0.1:9/hook',
    vendor_data: 'user 1',
    ttl_seconds: 90,
    metadata: { plan: 'gold' },
    svc_access_token: 'token',
  })

  expect(created.data).toEqual({
    session_id: expect.stringMatching(/^sess_[0-9a-f]{24}$/),
    status: 'NOT_STARTED',
    url: expect.stringMatching(new RegExp(`^${origin}/s/[0-9a-f]{24}$`)),
    session_token: expect.stringMatching(/^stok_/),
    features: ['id_verification', 'liveness', 'face_match', 'credential'],
    redirect_url: 'https://app.example/back',
    expires_at: '2026-03-01T12:01:30.000Z',
  })
  const { session_id } = created.data as { session_id: string }
  const { data } = await call('GET', `/api/v2/session/${session_id}`)
  expect(data).toMatchObject({ vendor_data: 'user 1', created_at: start.toISOString() })
})

it('a session that names no workflow runs the first', async () => {
  const { session } = emulated()
  expect((await session({ workflow_id: undefined })).features).toEqual([
    'id_verification',
    'liveness',
    'face_match',
  ])
})

it.each([
  ['an unknown workflow', { workflow_id: 'wf_other' }, 404, 'workflow_not_found'],
  ['a relative redirect_url', { workflow_id: 'wf_identity', redirect_url: '/back' }, 400, 'validation_error'],
  ['a lifetime of 0', { workflow_id: 'wf_identity', ttl_seconds: 0 }, 400, 'validation_error'],
  ['a lifetime of half a second', { workflow_id: 'wf_identity', ttl_seconds: 0.5 }, 400, 'validation_error'],
  [
    'a lifetime beyond the calendar',
    { workflow_id: 'wf_identity', ttl_seconds: 9e12 },
    400,
    'validation_error',
  ],
])('refuses to create a session with %s', async (_, params, status, code) => {
  const { post } = emulated()

  expect(await post('/api/v2/session', params)).toMatchObject({ status, error: { code } })
})

it.each([
  ['the same text', ['https://app.example/hook'], 'https://app.example/hook', true],
  ['a trailing slash more', ['https://app.example/hook'], 'https://app.example/hook/', false],
  ['another query', ['https://app.example/hook'], 'https://app.example/hook?a=1', false],
  ['another spelling of the host', ['https://app.example/hook'], 'https://APP.example/hook', false],
  ['http to loopback, listed', ['http://localhost:3000/hook'], 'http://localhost:3000/hook', true],
  ['http to loopback, not in the list', ['https://app.example/hook'], 'http://localhost:3000/hook', false],
  ['loopback, where nothing is listed', undefined, 'http://127.0.0.1:4567/any', true],
  ['IPv6 loopback, where nothing is listed', undefined, 'http://[::1]:4567/any', true],
  ['another host, where nothing is listed', undefined, 'https://app.example/hook', false],
  ['a host that only begins like loopback', undefined, 'http://127.0.0.1.example/hook', false],
  ['another scheme to loopback', undefined, 'ftp://localhost/hook', false],
])(
  'takes a callback only when it is an approved destination: %s',
  async (_, destinations, callback, taken) => {
    const { post } = emulated({ webhooks: { destinations } })

    const reply = await post('/api/v2/session', { workflow_id: 'wf_identity', callback })

    expect(reply).toMatchObject(
      taken ? { status: 200 } : { status: 422, error: { code: 'callback_not_allowed' } },
    )
  },
)

it('lists sessions, newest first, by status, vendor_data and limit', async () => {
  const { emulator, call, session } = emulated()
  const [a, b, c] = [
    await session({ vendor_data: 'x y' }),
    await session({ vendor_data: 'x y' }),
    await session({ vendor_data: 'z' }),
  ].map(({ session_id }) => session_id)
  await emulator.sessions.complete(a as string, 'APPROVED')
  const list = async (query: string) =>
    ((await call('GET', `/api/v2/session${query}`)).data as { session_id: string }[]).map(
      (one) => one.session_id,
    )

  expect(await list('')).toEqual([c, b, a])
  expect(await list('?vendor_data=x%20y')).toEqual([b, a])
  expect(await list('?status=APPROVED')).toEqual([a])
  expect(await list('?limit=2')).toEqual([c, b])
  expect(await list('?vendor_data=x%20y&status=NOT_STARTED&limit=1')).toEqual([b])
  expect(await list('?status=UNHEARD_OF')).toEqual([])
  expect((await call('GET', '/api/v2/session?limit=many')).status).toBe(400)
  expect((await call('GET', '/api/v2/session?limit=0')).status).toBe(400)
})

it('keeps a vendor_data of digits a text when it filters', async () => {
  const { call, session } = emulated()
  await session({ vendor_data: '42' })

  expect((await call('GET', '/api/v2/session?vendor_data=42&limit=5')).data).toHaveLength(1)
})

it.each([
  ['GET', ''],
  ['GET', '/decision'],
  ['PATCH', '/status'],
])('answers 404 not_found for an unknown session: %s %s', async (method, suffix) => {
  const { call } = emulated()

  const sent = method === 'PATCH' ? { json: { status: 'APPROVED' } } : {}
  const reply = await call(method, `/api/v2/session/sess_unknown${suffix}`, sent)

  expect(reply).toMatchObject({ status: 404, error: { code: 'not_found' } })
})

it('gives no decision until there is one', async () => {
  const { emulator, call, session, decide } = emulated()
  const { session_id } = await session()
  const decision = async () => (await call('GET', `/api/v2/session/${session_id}/decision`)).data
  const pending = (type: string) => ({ type, status: 'pending', data: {}, error: null })
  const checks = ['id_verification', 'liveness', 'face_match'].map(pending)

  expect(await decision()).toEqual({ status: 'NOT_STARTED', decision: null, decided_at: null, checks })
  emulator.sessions.start(session_id)
  expect(await decision()).toEqual({ status: 'IN_PROGRESS', decision: null, decided_at: null, checks })
  await emulator.sessions.complete(session_id, 'IN_REVIEW')
  expect(await decision()).toMatchObject({ status: 'IN_REVIEW', decision: null, decided_at: null })
  await emulator.clock.advance(5 * minutes)
  await decide(session_id, 'APPROVED')
  expect(await decision()).toMatchObject({
    status: 'APPROVED',
    decision: 'APPROVED',
    decided_at: '2026-03-01T12:05:00.000Z',
    checks: [{ status: 'passed' }, { status: 'passed' }, { status: 'passed' }],
  })
})
