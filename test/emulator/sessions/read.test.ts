import { expect, it } from 'vitest'
import { overHttp, type Session, start } from '../support/service.ts'

// Section 4.1

it('returns the workflow, vendor_data and timestamps of a session, next to the fields of its creation', async () => {
  const { get, session } = await overHttp()
  const created = await session({ vendor_data: 'user-42', redirect_url: 'https://app.example/' })

  const { status, data } = await get<Session>(`/api/v2/session/${created.session_id}`)

  expect(status).toBe(200)
  expect(data).toMatchObject({ ...created, vendor_data: 'user-42', created_at: start.toISOString() })
  // The contract does not show the name of the field that contains the workflow.
  expect(Object.values(data)).toContain('wf_identity')
})

it.each([
  ['GET', '', undefined],
  ['GET', '/decision', undefined],
  ['PATCH', '/status', { status: 'DECLINED' }],
])('returns 404 not_found for an unknown session: %s %s', async (method, suffix, json) => {
  const { call } = await overHttp()

  const { status, error } = await call(method, `/api/v2/session/sess_unknown${suffix}`, { json })

  expect([status, error?.code]).toEqual([404, 'not_found'])
})

it('lists sessions, newest first, filtered by status, vendor_data and limit', async () => {
  const { emulator, get, session } = await overHttp()
  const [a, b, c] = [
    await session({ vendor_data: 'x y' }),
    await session({ vendor_data: 'x y' }),
    await session({ vendor_data: 'z' }),
  ]
  await emulator.sessions.complete(a.session_id, 'APPROVED')
  const list = async (query: string) => (await get<Session[]>(`/api/v2/session${query}`)).data
  const ids = async (query: string) => (await list(query)).map(({ session_id }) => session_id)

  expect(await list('')).toMatchObject([c, b, { ...a, status: 'APPROVED' }])
  expect(await ids('?vendor_data=x%20y')).toEqual([b.session_id, a.session_id])
  expect(await ids('?status=APPROVED')).toEqual([a.session_id])
  expect(await ids('?status=DECLINED')).toEqual([])
  expect(await ids('?status=UNDOCUMENTED')).toEqual([])
  expect(await ids('?limit=2')).toEqual([c.session_id, b.session_id])
  expect(await ids('?limit=5')).toHaveLength(3)
  expect(await ids('?vendor_data=x%20y&status=NOT_STARTED&limit=1')).toEqual([b.session_id])
})

it('compares vendor_data as text, also if it consists of digits', async () => {
  const { get, session } = await overHttp()
  await session({ vendor_data: '42' })

  expect((await get('/api/v2/session?vendor_data=42&limit=5')).data).toHaveLength(1)
  expect((await get('/api/v2/session?vendor_data=42.0&limit=5')).data).toEqual([])
})

it.each(['many', '1.5', '0'])('rejects a limit of %s with 400 validation_error', async (limit) => {
  const { get } = await overHttp()

  const { status, error } = await get(`/api/v2/session?limit=${limit}`)

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})
