import { expect, it } from 'vitest'
import { later, listening, type Session, start } from './over-http.ts'

const iso = (date: Date) => expect.toSatisfy((text) => text.endsWith('Z') && +new Date(text) === +date)

// Sections 2.2 and 4.1

it('a new session is NOT_STARTED and has the seven documented fields', async () => {
  const { post, url } = await listening()

  const { status, data } = await post<Session>('/api/v2/session', {
    workflow_id: 'wf_all',
    redirect_url: 'https://app.example/done?a=1',
    vendor_data: 'user-42',
    ttl_seconds: 900,
    metadata: { plan: 'gold', nested: { deep: [1, null] } },
  })

  expect(status).toBe(200)
  expect(data).toEqual({
    session_id: expect.stringMatching(/./),
    status: 'NOT_STARTED',
    url: expect.stringMatching(/^http.+\/s\/[^/?#]+$/),
    session_token: expect.stringMatching(/./),
    features: ['id_verification', 'liveness', 'face_match', 'age', 'credential', 'location'],
    redirect_url: 'https://app.example/done?a=1',
    expires_at: iso(later(900)),
  })
  expect(data.url.startsWith(`${url}/s/`)).toBe(true)
  expect(data.session_token).not.toContain('key_1')
})

it('two sessions share neither id, nor token, nor page', async () => {
  const { session } = await listening()

  const [a, b] = [await session(), await session()]

  for (const field of ['session_id', 'session_token', 'url'] as const) expect(a[field]).not.toBe(b[field])
})

it('the account variant takes an access token beside the other fields', async () => {
  const { post } = await listening()

  const { status, data } = await post<Session>('/api/v2/session', {
    workflow_id: 'wf_face',
    svc_access_token: 'token',
  })

  expect([status, data.status]).toEqual([200, 'NOT_STARTED'])
})

it('reading a session shows the workflow, vendor_data and timestamps besides', async () => {
  const { get, session } = await listening()
  const created = await session({ vendor_data: 'user-42', redirect_url: 'https://app.example/' })

  const { status, data } = await get<Session>(`/api/v2/session/${created.session_id}`)

  expect(status).toBe(200)
  expect(data).toMatchObject(created)
  // Their names are not shown in the contract, save vendor_data's.
  const { expires_at: _, ...others } = data
  const shown = JSON.stringify(others)
  expect(shown).toContain('"vendor_data":"user-42"')
  expect(shown).toContain('wf_face')
  expect(shown).toContain(start.toISOString().slice(0, 19))
})

it.each([
  ['GET', '/api/v2/session/sess_unknown'],
  ['GET', '/api/v2/session/sess_unknown/decision'],
  ['PATCH', '/api/v2/session/sess_unknown/status'],
])('%s %s is 404 not_found', async (method, path) => {
  const { call } = await listening()

  const { status, error } = await call(method, path, {
    ...(method === 'PATCH' && { json: { status: 'DECLINED' } }),
  })

  expect([status, error?.code]).toEqual([404, 'not_found'])
})

it('a list holds session objects, narrowed by status, by vendor_data and by limit', async () => {
  const { get, emulator, session } = await listening()
  const a = await session({ vendor_data: 'a' })
  const b = await session({ vendor_data: 'b' })
  const c = await session({ vendor_data: 'a' })
  await emulator.sessions.complete(c.session_id, 'DECLINED')
  const ids = async (query: string) =>
    (await get<Session[]>(`/api/v2/session${query}`)).data.map(({ session_id }) => session_id).sort()

  expect(await ids('')).toEqual([a, b, c].map(({ session_id }) => session_id).sort())
  expect(await ids('?vendor_data=a')).toEqual([a.session_id, c.session_id].sort())
  expect(await ids('?status=DECLINED')).toEqual([c.session_id])
  expect(await ids('?status=NOT_STARTED&vendor_data=a')).toEqual([a.session_id])
  expect(await ids('?status=APPROVED')).toEqual([])
  expect(await ids('?limit=2')).toHaveLength(2)
  expect(await ids('?limit=5')).toHaveLength(3)
  const { data } = await get<Session[]>('/api/v2/session?vendor_data=b')
  expect(data[0]).toMatchObject(b)
})

it.each([
  ['no JSON', '{"workflow_id":'],
  ['no object', '[]'],
  ['a ttl that is no integer', '{"ttl_seconds":"900"}'],
  ['a redirect_url that is no URL', '{"redirect_url":"back"}'],
  ['a callback that is no string', '{"callback":1}'],
  ['vendor_data that is no string', '{"vendor_data":{}}'],
  ['metadata that is no object', '{"metadata":"gold"}'],
])('a session of %s is 400 validation_error', async (_, body) => {
  const { call } = await listening()

  const { status, error } = await call('POST', '/api/v2/session', {
    headers: { 'Content-Type': 'application/json' },
    body,
  })

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})

it.each(['?limit=many', '?limit=1.5'])('a list %s is 400 validation_error', async (query) => {
  const { get } = await listening()

  const { status, error } = await get(`/api/v2/session${query}`)

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})

// Section 4.2
it('a session of an unknown workflow is 404 workflow_not_found', async () => {
  const { post } = await listening()

  const { status, error } = await post('/api/v2/session', { workflow_id: 'wf_of_somebody_else' })

  expect([status, error?.code]).toEqual([404, 'workflow_not_found'])
})

// Section 2.2: the callback

const approved = 'https://app.example/webhooks/identity'

it('takes a callback that is an approved destination, and a session without one', async () => {
  const { post } = await listening({ webhooks: { destinations: [approved] } })

  expect((await post('/api/v2/session', { callback: approved })).status).toBe(200)
  expect((await post('/api/v2/session', {})).status).toBe(200)
})

it.each([
  'https://elsewhere.example/webhooks/identity',
  `${approved}/`,
  `${approved}?a=1`,
  `${approved}#a`,
  'https://app.example/webhooks/Identity',
  'https://APP.example/webhooks/identity',
  'https://app.example:443/webhooks/identity',
  'http://app.example/webhooks/identity',
])(
  'a callback that is not exactly an approved destination is 422 callback_not_allowed: %s',
  async (callback) => {
    const { post, get } = await listening({ webhooks: { destinations: [approved] } })

    const { status, error } = await post('/api/v2/session', { callback })

    expect([status, error?.code]).toEqual([422, 'callback_not_allowed'])
    expect((await get('/api/v2/session')).data).toEqual([])
  },
)

it('takes no plain http beyond this machine as a callback', async () => {
  const { post } = await listening()

  const { status, error } = await post('/api/v2/session', { callback: 'http://app.example/hook' })

  expect([status, error?.code]).toEqual([422, 'callback_not_allowed'])
})
