// Tests of a user with Jest's own mocks.
import type { Session, SessionCreateParams, Sessions, VerificationClient } from 'identity-service-sdk'

const session: Session = {
  session_id: 'sess_1',
  status: 'IN_PROGRESS',
  url: 'https://id.example.com/sess_1',
  session_token: 'token',
  features: [],
  expires_at: '2026-01-01T00:00:00Z',
}

interface Creator {
  create(params: SessionCreateParams): PromiseLike<Session>
}

const start = async (sessions: Creator, person: string) =>
  (await sessions.create({ workflow_id: 'wf_1', vendor_data: person })).url

test('a mock of a method has the types of the method', async () => {
  const create = jest.fn<Promise<Session>, Parameters<Sessions['create']>>()
  create.mockResolvedValue(session)

  expect(await start({ create }, 'user-42')).toBe(session.url)
  expect(create).toHaveBeenCalledWith({ workflow_id: 'wf_1', vendor_data: 'user-42' })
})

test('a method of a client can be watched', async () => {
  const watch = (client: Pick<VerificationClient, 'sessions'>) => jest.spyOn(client.sessions, 'create')
  const sessions = { create: async (_: SessionCreateParams) => session }

  const spy = jest.spyOn(sessions, 'create').mockImplementation(async () => session)
  await start(sessions, 'user-42')

  expect(spy).toHaveBeenCalledTimes(1)
  expect(typeof watch).toBe('function')
})
