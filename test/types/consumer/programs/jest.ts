// Tests of a user with Jest's own mocks.
import { apiPromise, type Session, type Sessions, type VerificationClient } from 'identity-service-sdk'

const session: Session = {
  session_id: 'sess_1',
  status: 'IN_PROGRESS',
  url: 'https://id.example.com/sess_1',
  session_token: 'token',
  features: [],
  expires_at: '2026-01-01T00:00:00Z',
}

const start = async (sessions: Pick<Sessions, 'create'>, person: string) =>
  (await sessions.create({ workflow_id: 'wf_1', vendor_data: person })).url

test('a mock of a method has the types of the method', async () => {
  const create = jest.fn<ReturnType<Sessions['create']>, Parameters<Sessions['create']>>()
  create.mockReturnValue(apiPromise(session))

  expect(await start({ create }, 'user-42')).toBe(session.url)
  expect(create).toHaveBeenCalledWith({ workflow_id: 'wf_1', vendor_data: 'user-42' })
})

test('a method of a client can be watched', async () => {
  const watch = (client: Pick<VerificationClient, 'sessions'>) => jest.spyOn(client.sessions, 'create')
  const sessions: Pick<Sessions, 'create'> = { create: () => apiPromise(session) }

  const spy = jest.spyOn(sessions, 'create').mockImplementation(() => apiPromise(session, { status: 201 }))
  await start(sessions, 'user-42')

  expect(spy).toHaveBeenCalledTimes(1)
  expect(typeof watch).toBe('function')
})
