import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { checkStatuses } from '../../src/contract/verification/check-data.ts'
import { documentedCode } from '../support/documented-code.ts'
import { columnOf } from './reading.ts'

const page = 'docs/guides/standalone-checks.md'
const guide = documentedCode('docs/guides/standalone-checks.md', {
  // The age check of the guide passes a fixed date of birth.
  emulator: { clock: () => new Date('2026-06-01T12:00:00Z') },
})
const { emulator } = guide
const picture = new Uint8Array(100_000).fill(1)

beforeAll(async () => {
  for (const name of ['id-front.jpg', 'id-back.jpg', 'selfie.jpg'])
    await writeFile(join(guide.installed.project, name), picture)
})

beforeEach(() => emulator.reset())

it('the document check prints its result, and assertPassed throws if it failed', async () => {
  expect(await guide.run('Check a document')).toBe('passed US 0.98\n')

  emulator.checks.script('id_verification', 'failed')
  await expect(guide.run('Check a document')).rejects.toMatchObject({ code: 'check_not_passed' })
})

it('a check that does not pass is a result, and a call without a result is an exception', async () => {
  const { checkLiveness } = await guide.load<{ checkLiveness(image: unknown, key: string): Promise<string> }>(
    'Read the result',
  )

  expect(await checkLiveness(picture, 'picture-1')).toBe('live')
  for (const status of ['failed', 'review'] as const) {
    emulator.checks.script('liveness', status, { times: 1 })
    expect(await checkLiveness(picture, `picture-${status}`)).toBe(status)
  }
  emulator.faults.add({ match: 'checks.liveness', status: 422, code: { unlisted: 'no_face' } })
  expect(await checkLiveness(picture, 'picture-2')).toBe('take another picture: no_face')
  emulator.faults.add({ match: 'checks.liveness', reset: true, when: 'after', times: 3 })
  const { length } = emulator.ledger
  expect(await checkLiveness(picture, 'picture-3')).toBe('send the same picture again')
  expect(await checkLiveness(picture, 'picture-3')).toBe('live')
  expect(emulator.ledger).toHaveLength(length + 1)
  await expect(checkLiveness(new Uint8Array(20 * 1024 * 1024), 'picture-4')).rejects.toMatchObject({
    code: 'invalid_params',
  })
})

it('the table of results lists every status', () => {
  const named = columnOf(page, 'Read the result').flatMap((cell) => cell.split(', '))
  expect(named.sort()).toEqual([...checkStatuses].sort())
})

it('the face comparison checks liveness and similarity', async () => {
  expect(await guide.run('Compare faces')).toBe('passed 0.98 0.95\n')
  expect(emulator.ledger.map(({ operation }) => operation)).toEqual(['checks.liveness', 'checks.faceMatch'])
})

it('the age check reports each band', async () => {
  expect(await guide.run('Check an age')).toMatch(/^failed\n\S+ 18 true\n\S+ 21 false\n\S+ 65 false\n$/)
})

it('a location within the radius passes', async () => {
  expect(await guide.run('Check a location')).toMatch(/^passed true \d+(?:\.\d+)?\n$/)
})
