import { expect, it } from 'vitest'
import { emulated, receiver } from '../emulated.ts'
import { alertOf, buttons, picked, radios, textOnPage, visitor } from './visitor.ts'

const features = ['id_verification', 'liveness', 'age']
const workflows = [{ id: 'wf', name: 'Three checks', features }]

async function atThePage(options: Parameters<typeof emulated>[0] = {}) {
  const { emulator, call, session, statusOf } = emulated({ workflows, ...options })
  const { session_id, url } = await session({ workflow_id: 'wf', redirect_url: 'https://app.example/back' })
  const { open, press } = visitor(emulator)
  return {
    emulator,
    session_id,
    open: () => open(url),
    press: (fields: Record<string, string>) => press(url, fields),
    status: () => statusOf(session_id),
    checks: async () => {
      const { data } = await call('GET', `/api/v2/session/${session_id}/decision`)
      return (data as { checks: { type: string; status: string; data: object }[] }).checks
    },
  }
}

it('offers each outcome for each check, nothing being done at first', async () => {
  const visit = await (await atThePage()).open()

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
])('%s, %s and %s end the session as %s', async (id_verification, liveness, age, end) => {
  const { press, status, checks, session_id } = await atThePage()

  const { status: answered, location } = await press({ choice: 'finish', id_verification, liveness, age })

  expect({ answered, location }).toEqual({
    answered: 303,
    location: `https://app.example/back?session_id=${session_id}&status=${end}`,
  })
  expect(await status()).toBe(end)
  expect((await checks()).map((check) => check.status)).toEqual([id_verification, liveness, age])
})

it('gives a check the data of its outcome', async () => {
  const { press, checks } = await atThePage()

  await press({ choice: 'finish', id_verification: 'passed', liveness: 'failed', age: 'passed' })

  expect(await checks()).toMatchObject([
    { data: { fields: { full_name: 'Alex Sample' } }, error: null },
    { score: 0.08, data: { result: 'spoof' }, error: { message: expect.any(String) } },
    { data: { dob: '1990-04-12' } },
  ])
})

it('does not finish while a check is not done, and keeps what was chosen', async () => {
  const { press, open, status, checks } = await atThePage()

  const refused = await press({ choice: 'finish', id_verification: 'passed', liveness: 'review', age: '' })

  const chosen = ['id_verification=passed', 'liveness=review', 'age=']
  expect(refused.status).toBe(400)
  expect(alertOf(refused)).toContain('Not every check is done')
  expect(picked(refused)).toEqual(chosen)
  expect(picked(await open())).toEqual(chosen)
  expect(await status()).toBe('IN_PROGRESS')
  expect((await checks()).map((check) => check.status)).toEqual(['running', 'running', 'pending'])
})

it('finishes with what was chosen before, and with the last choice of a check', async () => {
  const { press, checks } = await atThePage()
  await press({ choice: 'finish', id_verification: 'failed', liveness: 'passed' })

  await press({ choice: 'finish', id_verification: 'review', age: 'passed' })

  expect((await checks()).map((check) => check.status)).toEqual(['review', 'passed', 'passed'])
})

it('takes a choice back', async () => {
  const { press, open } = await atThePage()
  await press({ choice: 'finish', id_verification: 'failed' })

  const refused = await press({ choice: 'finish', id_verification: '', liveness: 'passed', age: 'passed' })

  expect(refused.status).toBe(400)
  expect(picked(await open())).toEqual(['id_verification=', 'liveness=passed', 'age=passed'])
})

it.each([{ liveness: 'pending' }, { liveness: 'PASSED' }, { liveness: 'toString' }])(
  'takes no outcome that it does not offer: %o',
  async (fields) => {
    const { press, status } = await atThePage()

    const refused = await press({ choice: 'finish', id_verification: 'passed', age: 'passed', ...fields })

    expect(refused.status).toBe(400)
    expect(await status()).toBe('NOT_STARTED')
  },
)

it('overlooks an outcome of a check that is not in the workflow', async () => {
  const { press, checks } = await atThePage()
  const passed = { id_verification: 'passed', liveness: 'passed', age: 'passed' }

  await press({ choice: 'finish', ...passed, credential: 'failed' })

  expect((await checks()).map(({ type, status }) => `${type} ${status}`)).toEqual(
    Object.entries(passed).map((entry) => entry.join(' ')),
  )
})

it('counts what the person has been through already, and keeps its data', async () => {
  const { emulator, session_id, press, open, checks } = await atThePage()
  emulator.sessions.start(session_id, { checks: { liveness: { data: { live_score: 0.3 } } } })

  expect(picked(await open())).toContain('liveness=failed')
  await press({ choice: 'finish', id_verification: 'passed', liveness: 'failed', age: 'passed' })

  expect((await checks())[1]).toMatchObject({ status: 'failed', data: { live_score: 0.3 } })
})

it.each([
  ['approve', 'passed'],
  ['decline', 'failed'],
] as const)('%s in a hurry: every check has %s, whatever was chosen', async (choice, result) => {
  const { press, checks } = await atThePage()
  await press({ choice: 'finish', id_verification: 'review', liveness: 'failed' })

  await press({ choice })

  expect((await checks()).map(({ status }) => status)).toEqual([result, result, result])
})

it('leaves the checks as they stand where the person goes', async () => {
  const { deliver } = receiver()
  const { press, checks, status } = await atThePage({ webhooks: { deliver } })
  await press({ choice: 'finish', id_verification: 'passed' })

  await press({ choice: 'leave' })

  expect(await status()).toBe('ABANDONED')
  expect((await checks()).map((check) => check.status)).toEqual(['running', 'pending', 'pending'])
})

it('says which checks it does not know, and ends without them', async () => {
  const { emulator, session, call } = emulated({
    workflows: [{ id: 'wf', name: 'Novel', features: ['voice', 'age', 'voice'] }],
  })
  const { session_id, url } = await session({ workflow_id: 'wf' })
  const { open, press } = visitor(emulator)

  const visit = await open(url)
  await press(url, { choice: 'finish', age: 'passed' })

  expect(textOnPage(visit)).toContain('Not known here, so they stay pending: voice, voice.')
  const { data } = await call('GET', `/api/v2/session/${session_id}/decision`)
  expect(data).toMatchObject({
    status: 'APPROVED',
    checks: [{ status: 'pending' }, { status: 'passed' }, { status: 'pending' }],
  })
})

it('asks once for a check that a workflow names twice', async () => {
  const twice = [{ id: 'wf', name: 'Twice', features: ['age', 'liveness', 'age'] }]
  const { open, press, checks } = await atThePage({ workflows: twice })

  expect(radios(await open()).filter((radio) => radio === 'age=passed')).toHaveLength(1)
  await press({ choice: 'finish', age: 'passed', liveness: 'passed' })

  expect((await checks()).map(({ status }) => status)).toEqual(['passed', 'passed', 'passed'])
})

it('offers the quick ends alone where it knows none of the checks', async () => {
  const unknown = [{ id: 'wf', name: 'Novel', features: ['voice'] }]
  const { open, press, status } = await atThePage({ workflows: unknown })

  expect(buttons(await open())).toEqual(['choice=approve', 'choice=decline', 'choice=leave'])
  await press({ choice: 'decline' })

  expect(await status()).toBe('DECLINED')
})
