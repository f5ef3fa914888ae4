import { expect, it } from 'vitest'
import { everyCheck } from '../../support/checks.ts'
import { pressButton } from '../../support/press-button.ts'
import { apiKey, inProcess, later, overHttp, start } from '../../support/service.ts'

it('runs the checks of the first workflow if the request names none', async () => {
  const { session } = await overHttp()

  const { features } = await session({ workflow_id: undefined })

  expect(features).toEqual(['id_verification', 'liveness', 'face_match'])
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

// Section 2.2

it('a new session has exactly the seven fields, and is NOT_STARTED', async () => {
  const { session, url } = inProcess({ workflows: [everyCheck] })
  const redirect_url = 'https://app.example/back'

  const created = await session({
    workflow_id: 'wf_all',
    redirect_url,
    ttl_seconds: 90,
    metadata: { a: [null] },
  })

  expect(created).toEqual({
    session_id: expect.any(String),
    status: 'NOT_STARTED',
    url: expect.stringMatching(new RegExp(`^${url}/s/[^/]+$`)),
    session_token: expect.any(String),
    features: everyCheck.features,
    redirect_url,
    expires_at: later(90).toISOString(),
  })
})

it('a retrieved session also has its workflow, vendor_data and timestamps', async () => {
  const { get, session } = inProcess()
  const created = await session({ vendor_data: 'user-42' })

  const { data } = await get(`/api/v2/session/${created.session_id}`)

  const now = start.toISOString()
  const more = { workflow_id: 'wf_identity', vendor_data: 'user-42', created_at: now, updated_at: now }
  expect(data).toEqual({ ...created, ...more })
})

it('the session token is not an API key', async () => {
  const { raw, session } = inProcess()
  const { session_token } = await session()

  expect(session_token).not.toContain(apiKey['X-API-Key'])
  const { status } = await raw('GET', '/api/v2/session', { headers: { 'X-API-Key': session_token } })
  expect(status).toBe(401)
})

it('the browser returns to redirect_url with session_id and status', async () => {
  const service = inProcess()
  const { session_id, url } = await service.session({ redirect_url: 'https://app.example/back' })

  const address = await pressButton(service, url, /Leave/)

  expect(address).toBe(`https://app.example/back?session_id=${session_id}&status=ABANDONED`)
})

it.each([
  ['POST', '/api/v2/session', { workflow_id: 'wf_foreign' }, 'workflow_not_found'],
  ['GET', '/api/v2/workflows/wf_foreign', undefined, 'workflow_not_found'],
  ['PATCH', '/api/v2/workflows/wf_foreign', { name: 'x' }, 'workflow_not_found'],
  ['DELETE', '/api/v2/workflows/wf_foreign', undefined, 'workflow_not_found'],
  ['GET', '/api/v2/session/sess_none', undefined, 'not_found'],
  ['GET', '/api/v2/session/sess_none/decision', undefined, 'not_found'],
  ['PATCH', '/api/v2/session/sess_none/status', { status: 'DECLINED' }, 'not_found'],
])('%s %s of an unknown id is 404', async (method, path, json, code) => {
  const { error, status } = await inProcess().call(method, path, { json })

  expect([status, error?.code]).toEqual([404, code])
})

it('the error for an unknown workflow names those that exist', async () => {
  const { error } = await inProcess().call('POST', '/api/v2/session', { json: { workflow_id: 'wf_foreign' } })

  expect(error?.message).toMatch(/^The project has no workflow with this id. It has wf_identity/)
})

it.each([
  ['workflow', 'workflow_id'],
  ['vendor', 'vendor_data'],
  ['ttl', 'ttl_seconds'],
  ['callback_url', 'callback'],
])('a field %s in place of %s is 400, because the service would ignore it', async (name, meant) => {
  const { error, status } = await inProcess().call('POST', '/api/v2/session', { json: { [name]: 'x' } })

  const message = `${name}: is not a field of the contract. Did you mean ${meant}? readings: { unlistedFields: 'ignored' } accepts it`
  expect([status, error?.message]).toEqual([400, message])
})

it.each([
  ['POST', '/api/v2/session', { workflow_id: 'wf_identity', locale: 'de' }, 'locale'],
  ['GET', '/api/v2/session?vendor=ada', undefined, 'vendor'],
  ['GET', '/api/v2/session/sess_1?vendor=ada', undefined, 'vendor'],
  ['POST', '/api/v2/liveness', { image: 'AAAA', note: 'x' }, 'note'],
])('%s %s with a field that the contract does not list is 400, unless the reading says ignored', async (...given) => {
  const [method, path, json, field] = given
  const ignoring = inProcess({ readings: { unlistedFields: 'ignored' } })

  const { error, status } = await inProcess().call(method, path, { json })

  expect([status, error?.message]).toEqual([400, expect.stringContaining(`${field}: is not a field of the contract`)])
  expect((await ignoring.call(method, path, { json })).status).not.toBe(400)
})
