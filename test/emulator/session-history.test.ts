import { expect, it } from 'vitest'
import { readOptions } from '../../src/emulator/options/options.ts'
import { createService } from '../../src/emulator/server/service.ts'
import { RequestFeed } from '../../src/emulator/state/request-log.ts'
import { ServiceState } from '../../src/emulator/state/service-state.ts'
import { SigningKeys } from '../../src/emulator/state/signing-keys.ts'
import { origin, requestOf, start } from './emulated.ts'
import { visitor } from './pages/visitor.ts'

/** A session whose memory can be looked into, and a clock that is a second later at each look. */
async function remembered() {
  let seconds = 0
  const clock = () => new Date(start.getTime() + seconds * 1000)
  const settings = readOptions({ seed: 'history', clock })
  const lasting = { signingKeys: new SigningKeys(), requestFeed: new RequestFeed() }
  const state = new ServiceState(settings, lasting)
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
    told: () =>
      session.history.map(({ at, ...moment }) =>
        [(at.getTime() - start.getTime()) / 1000, ...Object.values(moment)].join(' '),
      ),
  }
}

it('remembers what happened to a session, when, and by whom', async () => {
  const { later, open, press, told } = await remembered()
  later()
  await open()
  later()
  await open()
  await press({ choice: 'finish', liveness: 'passed' })
  later()
  await press({ choice: 'finish', id_verification: 'passed', face_match: 'failed' })

  expect(told()).toEqual([
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

it.each<[what: string, act: (history: Awaited<ReturnType<typeof remembered>>) => unknown, last: string]>([
  ['the person leaves', ({ press }) => press({ choice: 'leave' }), '0 status ABANDONED person'],
  ['the API decides', ({ decide }) => decide('DECLINED'), '0 status DECLINED api'],
  [
    'time runs out',
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
])('tells who it was when %s', async (_, act, last) => {
  const history = await remembered()
  await act(history)
  expect(history.told().at(-1)).toBe(last)
})

it('remembers nothing of what was refused', async () => {
  const { press, decide, told } = await remembered()

  await press({ choice: 'finish', liveness: 'maybe' })
  await press({ choice: 'continue' })
  await decide('APPROVED')

  expect(told()).toEqual(['0 created'])
})

it('is bounded: of a long history the middle is forgotten', async () => {
  const { state, session, told } = await remembered()
  for (let i = 0; i < 150; i++)
    state.sessions.start(session.id, { liveness: i % 2 === 0 ? 'failed' : 'passed' })
  await state.sessions.complete(session.id, 'DECLINED', {})

  expect(told()).toHaveLength(100)
  expect(told()[0]).toBe('0 created')
  expect(told().at(-1)).toBe('0 status DECLINED person')
})
