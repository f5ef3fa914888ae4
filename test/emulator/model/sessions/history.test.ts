import { expect, it } from 'vitest'
import { readEmulatorOptions } from '../../../../src/emulator/model/options/options.ts'
import { ServiceState } from '../../../../src/emulator/model/service-state.ts'
import { SigningKeys } from '../../../../src/emulator/model/sign-in/signing-keys.ts'
import { createService } from '../../../../src/emulator/server/compose.ts'
import { visitor } from '../../pages/visitor.ts'
import { apiKey, later as dateAfter, origin, requestOf, start } from '../../support/service.ts'

/** A session whose history can be read, at a time that the test sets. */
async function recordedSession() {
  let seconds = 0
  const clock = () => dateAfter(seconds)
  const settings = readEmulatorOptions({ apiKey: apiKey['X-API-Key'], seed: 'history', clock })
  const state = new ServiceState(settings, new SigningKeys())
  const service = createService(state)
  await service.fetch(requestOf('POST', '/api/v2/session', { json: { ttl_seconds: 600 } }))
  const [session] = state.sessions.all()
  if (session === undefined) throw new Error('no session')
  const url = `${origin}/s/${session.path}`
  const { open, press } = visitor(service)
  return {
    state,
    session,
    later: (by = 1) => {
      seconds += by
    },
    open: () => open(url),
    press: (fields: Record<string, string>) => press(url, fields),
    decide: (status: string) =>
      service.fetch(requestOf('PATCH', `/api/v2/session/${session.id}/status`, { json: { status } })),
    entries: () =>
      session.history.map(({ at, ...entry }) =>
        [(at.getTime() - start.getTime()) / 1000, ...Object.values(entry)].join(' '),
      ),
  }
}

it('records what happened to a session, when, and who caused it', async () => {
  const { later, open, press, entries } = await recordedSession()
  later()
  await open()
  later()
  await open()
  await press({ choice: 'finish', liveness: 'passed' })
  later()
  await press({ choice: 'finish', id_verification: 'passed', face_match: 'failed' })

  expect(entries()).toEqual([
    '0 created',
    '1 opened',
    '1 status IN_PROGRESS person',
    '2 check liveness running',
    '3 check id_verification running',
    '3 check face_match running',
    '3 check id_verification passed',
    '3 check liveness passed',
    '3 check face_match failed',
    '3 status DECLINED person',
  ])
})

it.each<[what: string, act: (history: Awaited<ReturnType<typeof recordedSession>>) => unknown, last: string]>([
  ['the person leaves', ({ press }) => press({ choice: 'leave' }), '0 status ABANDONED person'],
  ['the API decides', ({ decide }) => decide('DECLINED'), '0 status DECLINED api'],
  [
    'its lifetime ends',
    ({ later, state }) => {
      later(600)
      return state.runDueTasks()
    },
    '600 status EXPIRED time',
  ],
  [
    'a control lets it expire',
    ({ state, session }) => state.sessions.complete(session.id, 'EXPIRED', {}),
    '0 status EXPIRED time',
  ],
  [
    'a review ends',
    async ({ state, session }) => {
      await state.sessions.complete(session.id, 'IN_REVIEW', {})
      await state.sessions.complete(session.id, 'APPROVED', {})
    },
    '0 status APPROVED review',
  ],
])('records who caused the change when %s', async (_, act, last) => {
  const history = await recordedSession()
  await act(history)
  expect(history.entries().at(-1)).toBe(last)
})

it('records nothing about rejected requests', async () => {
  const { press, decide, entries } = await recordedSession()

  await press({ choice: 'finish', liveness: 'maybe' })
  await press({ choice: 'continue' })
  await decide('APPROVED')

  expect(entries()).toEqual(['0 created'])
})

it('drops the middle of a history that exceeds 100 entries', async () => {
  const { state, session, entries } = await recordedSession()
  for (let i = 0; i < 150; i++) state.sessions.start(session.id, { liveness: i % 2 === 0 ? 'failed' : 'passed' })
  await state.sessions.complete(session.id, 'DECLINED', {})

  expect(entries()).toHaveLength(100)
  expect(entries()[0]).toBe('0 created')
  expect(entries().at(-1)).toBe('0 status DECLINED person')
})
