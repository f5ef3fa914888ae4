import { expect, it } from 'vitest'
import { everyCheck } from '../support/checks.ts'
import { overHttp, type Session } from '../support/service.ts'

// Sections 2.2 and 4.1

it('creates a session from the seven documented fields: NOT_STARTED, with seven fields', async () => {
  const { post, url } = await overHttp({ workflows: [everyCheck] })

  const { status, data } = await post<Session>('/api/v2/session', {
    workflow_id: 'wf_all',
    redirect_url: 'https://app.example/done?a=1',
    callback: 'http://127.0.0.1:9/hook',
    vendor_data: 'user-42',
    ttl_seconds: 90,
    metadata: { plan: 'gold', nested: { deep: [1, null] } },
    svc_access_token: 'token',
  })

  expect(status).toBe(200)
  expect(data).toEqual({
    session_id: expect.stringMatching(/^sess_[0-9a-f]{24}$/),
    status: 'NOT_STARTED',
    url: expect.stringMatching(/^http.+\/s\/[0-9a-f]{24}$/),
    session_token: expect.stringMatching(/^stok_/),
    features: ['id_verification', 'liveness', 'face_match', 'age', 'credential', 'location'],
    redirect_url: 'https://app.example/done?a=1',
    expires_at: '2026-03-01T12:01:30.000Z',
  })
  expect(data.url.startsWith(`${url}/s/`)).toBe(true)
  expect(data.session_token).not.toContain('key_1')
})

it('gives each session its own id, token and hosted page', async () => {
  const { session } = await overHttp()

  const [a, b] = [await session(), await session()]

  for (const field of ['session_id', 'session_token', 'url'] as const) expect(a[field]).not.toBe(b[field])
})

it('runs the checks of the first workflow if the request names none', async () => {
  const { session } = await overHttp()

  const { features } = await session({ workflow_id: undefined })

  expect(features).toEqual(['id_verification', 'liveness', 'face_match'])
})

// Section 4.2
it('returns 404 workflow_not_found for an unknown workflow', async () => {
  const { post } = await overHttp()

  const { status, error } = await post('/api/v2/session', { workflow_id: 'wf_foreign' })

  expect([status, error?.code]).toEqual([404, 'workflow_not_found'])
})

it.each([
  ['a body that is not JSON', '{"workflow_id":'],
  ['a body that is not an object', '[]'],
  ['a ttl_seconds that is a string', '{"ttl_seconds":"900"}'],
  ['a ttl_seconds of 0', '{"ttl_seconds":0}'],
  ['a ttl_seconds of half a second', '{"ttl_seconds":0.5}'],
  ['a ttl_seconds that ends after the last possible date', '{"ttl_seconds":9000000000000}'],
  ['a redirect_url that is not a URL', '{"redirect_url":"back"}'],
  ['a relative redirect_url', '{"redirect_url":"/back"}'],
  ['a callback that is not a string', '{"callback":1}'],
  ['a vendor_data that is not a string', '{"vendor_data":{}}'],
  ['metadata that is not an object', '{"metadata":"gold"}'],
])('rejects %s with 400 validation_error', async (_, body) => {
  const { call } = await overHttp()

  const { status, error } = await call('POST', '/api/v2/session', {
    headers: { 'Content-Type': 'application/json' },
    body,
  })

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})
