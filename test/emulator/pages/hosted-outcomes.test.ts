import { expect, it } from 'vitest'
import { inProcess, later, start } from '../support/service.ts'
import { receiver } from '../support/webhook-receivers.ts'
import { alertOf, buttons, radios, selectedRadios, textOnPage, visitor } from './visitor.ts'

const features = ['id_verification', 'liveness', 'age'] as const
const workflows = [{ id: 'wf', name: 'Three checks', features }]

async function openSession(options: Parameters<typeof inProcess>[0] = {}) {
  const { emulator, decisionOf, session, statusOf } = inProcess({ workflows, ...options })
  const { session_id, url } = await session({ workflow_id: 'wf', redirect_url: 'https://app.example/back' })
  const { open, press } = visitor(emulator)
  return {
    emulator,
    session_id,
    open: () => open(url),
    press: (fields: Record<string, string>) => press(url, fields),
    status: () => statusOf(session_id),
    checks: async () => (await decisionOf(session_id)).checks,
  }
}

it('offers every result for every check, with none selected at first', async () => {
  const visit = await (await openSession()).open()

  expect(radios(visit)).toEqual(
    features.flatMap((type) => [`${type}=passed`, `${type}=failed`, `${type}=review`, `${type}=*`]),
  )
  expect(buttons(visit)).toEqual(['choice=approve', 'choice=decline', 'choice=finish', 'choice=leave'])
})

it.each([
  // id_verification, liveness, age, end
  ['passed', 'passed', 'passed', 'APPROVED'],
  ['passed', 'review', 'passed', 'IN_REVIEW'],
  ['passed', 'passed', 'failed', 'DECLINED'],
  ['review', 'failed', 'passed', 'DECLINED'],
  ['review', 'review', 'review', 'IN_REVIEW'],
])('ends a session with the check results %s, %s and %s as %s', async (id_verification, liveness, age, end) => {
  const { press, status, checks, session_id } = await openSession()

  const { status: responseStatus, location } = await press({
    choice: 'finish',
    id_verification,
    liveness,
    age,
  })

  expect({ responseStatus, location }).toEqual({
    responseStatus: 303,
    location: `https://app.example/back?session_id=${session_id}&status=${end}`,
  })
  expect(await status()).toBe(end)
  expect((await checks()).map((check) => check.status)).toEqual([id_verification, liveness, age])
})

it('returns check data that matches the result', async () => {
  const { press, checks } = await openSession()

  await press({ choice: 'finish', id_verification: 'passed', liveness: 'failed', age: 'passed' })

  expect(await checks()).toMatchObject([
    { data: { fields: { full_name: 'Alex Sample' } }, error: null },
    { score: 0.08, data: { result: 'spoof' }, error: { message: expect.any(String) } },
    { data: { dob: '1990-04-12' } },
  ])
})

it('does not finish while a check has no result, and keeps the selections', async () => {
  const { press, open, status, checks } = await openSession()

  const rejected = await press({ choice: 'finish', id_verification: 'passed', liveness: 'review', age: '' })

  const chosen = ['id_verification=passed', 'liveness=review', 'age=']
  expect(rejected.status).toBe(200)
  expect(alertOf(rejected)).toContain('Some checks have no result yet')
  expect(selectedRadios(rejected)).toEqual(chosen)
  expect(selectedRadios(await open())).toEqual(chosen)
  expect(await status()).toBe('IN_PROGRESS')
  expect((await checks()).map((check) => check.status)).toEqual(['running', 'running', 'pending'])
})

it('removes a selection', async () => {
  const { press, open } = await openSession()
  await press({ choice: 'finish', id_verification: 'failed' })

  const rejected = await press({ choice: 'finish', id_verification: '', liveness: 'passed', age: 'passed' })

  expect(rejected.status).toBe(200)
  expect(selectedRadios(await open())).toEqual(['id_verification=', 'liveness=passed', 'age=passed'])
})

it.each([{ liveness: 'pending' }, { liveness: 'PASSED' }, { liveness: 'toString' }])(
  'rejects a result that the page does not offer: %o',
  async (fields) => {
    const { press, status } = await openSession()

    const rejected = await press({ choice: 'finish', id_verification: 'passed', age: 'passed', ...fields })

    expect(rejected.status).toBe(400)
    expect(await status()).toBe('NOT_STARTED')
  },
)

it('ignores the result of a check that is not in the workflow', async () => {
  const { press, checks } = await openSession()
  const passed = { id_verification: 'passed', liveness: 'passed', age: 'passed' }

  await press({ choice: 'finish', ...passed, credential: 'failed' })

  expect((await checks()).map(({ type, status }) => `${type} ${status}`)).toEqual(
    Object.entries(passed).map((entry) => entry.join(' ')),
  )
})

it('keeps the result and data of checks that are already done', async () => {
  const { emulator, session_id, press, open, checks } = await openSession()
  emulator.sessions.start(session_id, { checks: { liveness: { data: { live_score: 0.3 } } } })

  expect(selectedRadios(await open())).toContain('liveness=failed')
  await press({ choice: 'finish', id_verification: 'passed', liveness: 'failed', age: 'passed' })

  expect((await checks())[1]).toMatchObject({ status: 'failed', data: { live_score: 0.3 } })
})

it.each([
  ['approve', 'passed'],
  ['decline', 'failed'],
] as const)('%s for all checks replaces earlier selections: every check has %s', async (choice, result) => {
  const { press, checks } = await openSession()
  await press({ choice: 'finish', id_verification: 'review', liveness: 'failed' })

  await press({ choice })

  expect((await checks()).map(({ status }) => status)).toEqual([result, result, result])
})

it('leaves the checks unchanged if the person leaves', async () => {
  const { deliver } = receiver()
  const { press, checks, status } = await openSession({ webhooks: { deliver } })
  await press({ choice: 'finish', id_verification: 'passed' })

  await press({ choice: 'leave' })

  expect(await status()).toBe('ABANDONED')
  expect((await checks()).map((check) => check.status)).toEqual(['running', 'pending', 'pending'])
})

it('lists checks that the emulator does not support, and ends without them', async () => {
  const { emulator, session, decisionOf } = inProcess({
    workflows: [{ id: 'wf', name: 'Novel', features: ['voice' as never, 'age', 'voice' as never] }],
  })
  const { session_id, url } = await session({ workflow_id: 'wf' })
  const { open, press } = visitor(emulator)

  const visit = await open(url)
  await press(url, { choice: 'finish', age: 'passed' })

  expect(textOnPage(visit)).toContain('The emulator does not support these checks, so they stay pending: voice, voice.')
  expect(await decisionOf(session_id)).toMatchObject({
    status: 'APPROVED',
    checks: [{ status: 'pending' }, { status: 'passed' }, { status: 'pending' }],
  })
})

it('offers a check once if the workflow names it twice', async () => {
  const twice = [{ id: 'wf', name: 'Twice', features: ['age', 'liveness', 'age'] as const }]
  const { open, press, checks } = await openSession({ workflows: twice })

  expect(radios(await open()).filter((radio) => radio === 'age=passed')).toHaveLength(1)
  await press({ choice: 'finish', age: 'passed', liveness: 'passed' })

  expect((await checks()).map(({ status }) => status)).toEqual(['passed', 'passed', 'passed'])
})

it('offers only one result for all checks if it supports none of them', async () => {
  const unknown = [{ id: 'wf', name: 'Novel', features: ['voice' as never] }]
  const { open, press, status } = await openSession({ workflows: unknown })

  expect(buttons(await open())).toEqual(['choice=approve', 'choice=decline', 'choice=leave'])
  await press({ choice: 'decline' })

  expect(await status()).toBe('DECLINED')
})

it('does not count selections that were not submitted for an approval by override', async () => {
  const { emulator, session, decide } = inProcess()
  const { session_id, url } = await session()
  await visitor(emulator).press(url, { choice: 'finish', id_verification: 'passed', liveness: 'passed' })

  expect(await decide(session_id, 'APPROVED')).toMatchObject({
    status: 409,
    error: { code: 'required_face_checks_incomplete' },
  })
})

it('returns 410 if the session expires during a request, at any moment', async () => {
  for (let clockReads = 0; clockReads < 12; clockReads++) {
    let left = Number.POSITIVE_INFINITY
    const { open, press, status } = await openSession({ clock: () => (left-- > 0 ? start : later(86_400)) })

    left = clockReads
    const opened = await open()
    left = clockReads
    const sent = await press({ choice: 'approve' })

    left = 0
    const ends = { 303: 'APPROVED', 410: 'EXPIRED' } as const
    expect([200, 410]).toContain(opened.status)
    expect(ends[sent.status as 303 | 410], `after ${clockReads} clock reads: ${sent.status}`).toBe(await status())
  }
})
