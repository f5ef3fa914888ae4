import { expect, it } from 'vitest'
import { emulated, start } from '../emulated.ts'
import { named } from './document.ts'
import {
  alertOf,
  buttons,
  headingOf,
  links,
  picked,
  radios,
  textOnPage,
  titleOf,
  visitor,
} from './visitor.ts'

const features = ['id_verification', 'liveness', 'face_match']

async function walking(types: readonly string[] = features, clock = () => start) {
  const { emulator, session, statusOf, decide } = emulated({
    workflows: [{ id: 'wf', name: 'Walk', features: types }],
    clock,
  })
  const { session_id, url } = await session({ workflow_id: 'wf', ttl_seconds: 60 })
  const { open, press } = visitor(emulator)
  const at = (step: string | number) => `${url}?step=${step}`
  return {
    session_id,
    url,
    open: (step: string | number) => open(at(step)),
    overview: () => open(url),
    press: (step: string | number, fields: Record<string, string>) => press(at(step), fields),
    answer: (step: number, result: string) =>
      press(at(step), { choice: 'answer', [types[step - 1] as string]: result }),
    status: () => statusOf(session_id),
    decide: (verdict: string) => decide(session_id, verdict),
  }
}

it('begins at the first page', async () => {
  expect(links(await (await walking()).overview())).toContain('?step=1')
})

it.each([
  ['id_verification', 'Identity document', /identity card/i],
  ['liveness', 'Live selfie', /face within the frame/i],
  ['face_match', 'Face comparison', /beside a face/i],
  ['age', 'Age', /date of birth/i],
  ['credential', 'Professional licence', /professional licence/i],
  ['location', 'Location', /map/i],
])('shows a picture for %s, and asks in words', async (type, heading, picture) => {
  const { open } = await walking([type])

  const visit = await open(1)

  expect(headingOf(visit)).toBe(heading)
  expect(titleOf(visit)).toBe(`${heading}, check 1 of 1 of Walk - local emulator`)
  const [svg] = named(visit.document, 'svg')
  expect(svg?.attributes).toMatchObject({ role: 'img', 'aria-label': expect.stringMatching(picture) })
  expect(radios(visit)).toEqual([`${type}=passed`, `${type}=failed`, `${type}=review`])
  const answers = named(visit.document, 'label').map(({ children }) => String(children.at(-1)).trim())
  expect(new Set(answers).size).toBe(3)
  for (const answer of answers) expect(answer).not.toMatch(/passed|failed|review/i)
})

it('goes from check to check, shows what was answered, and sends it at the end', async () => {
  const { open, press, answer, status } = await walking()

  expect((await answer(1, 'passed')).location).toBe('?step=2')
  const second = await open(2)
  expect(textOnPage(second)).toContain('A genuine document, sharp and whole')
  expect((await answer(2, 'passed')).location).toBe('?step=3')
  expect(await answer(3, 'review')).toMatchObject({ status: 303, location: '?step=summary' })
  const summary = await open('summary')
  expect(textOnPage(summary)).toMatch(/genuine document[\s\S]*living face[\s\S]*resembles the document/)
  expect(textOnPage(summary)).toContain('The verification will end as ? IN_REVIEW')
  expect(buttons(summary)).toEqual(['choice=finish', 'choice=leave'])
  expect(await status()).toBe('IN_PROGRESS')
  await press('summary', { choice: 'finish' })

  expect(await status()).toBe('IN_REVIEW')
})

it.each([
  ['passed', 'APPROVED'],
  ['failed', 'DECLINED'],
])('ends as it said: %s, then %s', async (result, end) => {
  const { open, press, answer, status } = await walking(['age'])
  await answer(1, result)

  const said = textOnPage(await open('summary'))
  await press('summary', { choice: 'finish' })

  expect(said).toContain(end)
  expect(await status()).toBe(end)
})

it('keeps the answers in the session: a reload changes nothing, and answering anew replaces', async () => {
  const { open, answer } = await walking()
  await answer(1, 'passed')

  expect(picked(await open(1))).toEqual(['id_verification=passed'])
  expect(picked(await open(1))).toEqual(['id_verification=passed'])
  await answer(1, 'failed')

  expect(picked(await open(1))).toEqual(['id_verification=failed'])
  expect(textOnPage(await open(2))).not.toContain('A genuine document')
})

it('goes back until it is sent', async () => {
  const { open, answer, press, status } = await walking()
  for (const step of [1, 2, 3]) await answer(step, 'passed')

  expect(links(await open(3))).toContain('?step=2')
  expect(links(await open(1))).toContain('?')
  expect(links(await open('summary'))).toEqual(['#main', '?step=1', '?step=2', '?step=3'])
  await answer(2, 'failed')
  await press('summary', { choice: 'finish' })
  expect(await status()).toBe('DECLINED')

  expect((await answer(2, 'passed')).status).toBe(409)
  expect((await open(2)).status).toBe(409)
  expect(await status()).toBe('DECLINED')
})

it('does not send while a check is left out, and leads back to it', async () => {
  const { open, answer, press, status } = await walking()
  await answer(1, 'passed')
  await answer(3, 'passed')

  const summary = await open('summary')
  expect(textOnPage(summary)).toContain('Not every check is done')
  expect(buttons(summary)).toEqual(['choice=leave'])
  const refused = await press('summary', { choice: 'finish' })

  expect(refused.status).toBe(400)
  expect(headingOf(refused)).toBe('Summary')
  expect(alertOf(refused)).toContain('Not every check is done')
  expect(await status()).toBe('IN_PROGRESS')
})

it('asks again where no answer was chosen', async () => {
  const { open, press } = await walking()

  for (const fields of [{}, { liveness: 'passed' }, { id_verification: '' }]) {
    const refused = await press(1, { choice: 'answer', ...fields })
    expect(refused.status).toBe(400)
    expect(headingOf(refused)).toBe('Identity document')
    expect(alertOf(refused)).toBe('Choose one of the answers.')
  }
  expect(picked(await open(1))).toEqual([])
})

it.each(['0', '4', '01', '1.0', '-1', 'x', 'Summary', ''])('knows no step %j', async (step) => {
  const { open, press } = await walking()

  expect(headingOf(await open(step))).toBe('Walk')
  expect((await press(step, { choice: 'answer', id_verification: 'passed' })).status).toBe(400)
})

it('can be left at every step', async () => {
  for (const step of [1, 'summary']) {
    const { open, press, answer, status } = await walking()
    await answer(1, 'passed')

    expect(buttons(await open(step))).toContain('choice=leave')
    await press(step, { choice: 'leave' })

    expect(await status()).toBe('ABANDONED')
  }
})

it.each([
  ['somebody else has decided', 409],
  ['the time has run out', 410],
])('is over once %s', async (what, expected) => {
  let now = start
  const { open, answer, press, decide, status } = await walking(features, () => now)
  for (const step of [1, 2, 3]) await answer(step, 'passed')

  if (expected === 409) await decide('DECLINED')
  else now = new Date(start.getTime() + 60_000)

  expect((await press('summary', { choice: 'finish' })).status).toBe(expected)
  expect((await open(1)).status).toBe(expected)
  expect(await status(), what).toBe(expected === 409 ? 'DECLINED' : 'EXPIRED')
})

it('does not count for an approval by override before it is sent', async () => {
  const { answer, decide } = await walking()
  for (const step of [1, 2, 3]) await answer(step, 'passed')

  expect(await decide('APPROVED')).toMatchObject({
    status: 409,
    error: { code: 'required_face_checks_incomplete' },
  })
})

it('answers 410 where the time runs out in the midst of a request, at whatever moment', async () => {
  for (let looks = 0; looks < 12; looks++) {
    let left = Number.POSITIVE_INFINITY
    const { overview, press, status } = await walking(['age'], () =>
      left-- > 0 ? start : new Date(start.getTime() + 60_000),
    )

    left = looks
    const opened = await overview()
    left = looks
    const sent = await press('summary', { choice: 'finish', age: 'passed' })

    left = 0
    const ends = { 303: 'APPROVED', 410: 'EXPIRED' } as const
    expect([200, 410]).toContain(opened.status)
    expect(ends[sent.status as 303 | 410], `after ${looks} looks: ${sent.status}`).toBe(await status())
  }
})
