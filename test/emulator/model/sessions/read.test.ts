import { expect, it } from 'vitest'
import { overHttp, type Session } from '../../support/service.ts'

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

it.each(['many', '1.5', '0', '-1', '05', '-07'])('rejects a limit of %s with 400 validation_error', async (limit) => {
  const { get } = await overHttp()

  const { status, error } = await get(`/api/v2/session?limit=${limit}`)

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})
