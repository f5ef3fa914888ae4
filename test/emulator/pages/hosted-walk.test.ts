import { expect, it } from 'vitest'
import type { CheckType } from '../../../src/index.ts'
import { inProcess, later, start } from '../support/service.ts'
import {
  alertOf,
  buttons,
  headingOf,
  links,
  named,
  radios,
  selectedRadios,
  textOnPage,
  titleOf,
  visitor,
} from './visitor.ts'

const features = ['id_verification', 'liveness', 'face_match'] as const

async function walking(types: readonly CheckType[] = features, clock = () => start) {
  const { emulator, session, statusOf, decide } = inProcess({
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
    choose: (step: number, result: string) =>
      press(at(step), { choice: 'continue', [types[step - 1] as string]: result }),
    status: () => statusOf(session_id),
    decide: (verdict: string) => decide(session_id, verdict),
  }
}

it.each([
  ['id_verification', 'Identity document', /identity card/i],
  ['liveness', 'Live selfie', /face in a camera frame/i],
  ['face_match', 'Face comparison', /next to a face/i],
  ['age', 'Age', /date of birth/i],
  ['credential', 'Professional license', /professional license/i],
  ['location', 'Location', /map/i],
] as const)('shows a picture and a plain question for %s', async (type, heading, picture) => {
  const { open } = await walking([type])

  const visit = await open(1)

  expect(headingOf(visit)).toBe(heading)
  expect(titleOf(visit)).toBe(`${heading} (check 1 of 1): Walk - local emulator`)
  const [svg] = named(visit, 'svg')
  expect(svg?.attributes).toMatchObject({ role: 'img', 'aria-label': expect.stringMatching(picture) })
  expect(radios(visit)).toEqual([`${type}=passed`, `${type}=failed`, `${type}=review`])
  const options = named(visit, 'label').map(({ text }) => text.trim())
  expect(new Set(options).size).toBe(3)
  for (const option of options) expect(option).not.toMatch(/passed|failed|review/i)
})

it('leads from check to check, shows earlier choices, and submits them at the end', async () => {
  const { open, press, choose, status } = await walking()

  expect((await choose(1, 'passed')).location).toBe('?step=2')
  const second = await open(2)
  expect(textOnPage(second)).toContain('A genuine document that is easy to read')
  expect((await choose(2, 'passed')).location).toBe('?step=3')
  expect(await choose(3, 'review')).toMatchObject({ status: 303, location: '?step=summary' })
  const summary = await open('summary')
  expect(textOnPage(summary)).toMatch(/genuine document[\s\S]*real person[\s\S]*looks similar/)
  expect(textOnPage(summary)).toContain('The verification will end with status ? IN_REVIEW')
  expect(buttons(summary)).toEqual(['choice=finish', 'choice=leave'])
  expect(await status()).toBe('IN_PROGRESS')
  await press('summary', { choice: 'finish' })

  expect(await status()).toBe('IN_REVIEW')
})

it('keeps choices in the session: a reload keeps them, and a new choice replaces the old one', async () => {
  const { open, choose } = await walking()
  await choose(1, 'passed')

  expect(selectedRadios(await open(1))).toEqual(['id_verification=passed'])
  expect(selectedRadios(await open(1))).toEqual(['id_verification=passed'])
  await choose(1, 'failed')

  expect(selectedRadios(await open(1))).toEqual(['id_verification=failed'])
  expect(textOnPage(await open(2))).not.toContain('A genuine document')
})

it('allows changes until the results are submitted', async () => {
  const { open, choose, press, status } = await walking()
  for (const step of [1, 2, 3]) await choose(step, 'passed')

  expect(links(await open(3))).toContain('?step=2')
  expect(links(await open(1))).toContain('?')
  expect(links(await open('summary'))).toEqual(['#main', '?step=1', '?step=2', '?step=3'])
  await choose(2, 'failed')
  await press('summary', { choice: 'finish' })
  expect(await status()).toBe('DECLINED')

  expect((await choose(2, 'passed')).status).toBe(409)
  expect((await open(2)).status).toBe(409)
  expect(await status()).toBe('DECLINED')
})

it('does not submit while a check has no result, and links back to it', async () => {
  const { open, choose, press, status } = await walking()
  await choose(1, 'passed')
  await choose(3, 'passed')

  const summary = await open('summary')
  expect(textOnPage(summary)).toContain('Some checks have no result yet')
  expect(buttons(summary)).toEqual(['choice=leave'])
  const rejected = await press('summary', { choice: 'finish' })

  expect(rejected.status).toBe(200)
  expect(headingOf(rejected)).toBe('Summary')
  expect(alertOf(rejected)).toContain('Some checks have no result yet')
  expect(await status()).toBe('IN_PROGRESS')
})

it('shows the check again with an error if no option was chosen', async () => {
  const { open, press } = await walking()

  for (const fields of [{}, { liveness: 'passed' }, { id_verification: '' }]) {
    const rejected = await press(1, { choice: 'continue', ...fields })
    expect(rejected.status).toBe(200)
    expect(headingOf(rejected)).toBe('Identity document')
    expect(alertOf(rejected)).toBe('Choose one of the options.')
  }
  expect(selectedRadios(await open(1))).toEqual([])
})

it.each(['0', '4', '01', '1.0', '-1', 'x', 'Summary', ''])('does not accept the unknown step %j', async (step) => {
  const { open, press } = await walking()

  expect(headingOf(await open(step))).toBe('Walk')
  expect((await press(step, { choice: 'continue', id_verification: 'passed' })).status).toBe(400)
})

it('lets the person leave at every step', async () => {
  for (const step of [1, 'summary']) {
    const { open, press, choose, status } = await walking()
    await choose(1, 'passed')

    expect(buttons(await open(step))).toContain('choice=leave')
    await press(step, { choice: 'leave' })

    expect(await status()).toBe('ABANDONED')
  }
})

it('does not count selections that were not submitted for an approval by override', async () => {
  const { choose, decide } = await walking()
  for (const step of [1, 2, 3]) await choose(step, 'passed')

  expect(await decide('APPROVED')).toMatchObject({
    status: 409,
    error: { code: 'required_face_checks_incomplete' },
  })
})

it('returns 410 if the session expires during a request, at any moment', async () => {
  for (let clockReads = 0; clockReads < 12; clockReads++) {
    let left = Number.POSITIVE_INFINITY
    const { overview, press, status } = await walking(['age'], () => (left-- > 0 ? start : later(60)))

    left = clockReads
    const opened = await overview()
    left = clockReads
    const sent = await press('summary', { choice: 'finish', age: 'passed' })

    left = 0
    const ends = { 303: 'APPROVED', 410: 'EXPIRED' } as const
    expect([200, 410]).toContain(opened.status)
    expect(ends[sent.status as 303 | 410], `after ${clockReads} clock reads: ${sent.status}`).toBe(await status())
  }
})
