import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { documented } from '../support/documented.ts'

const guide = documented('docs/credential-checks.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

it('a licence is found by discovery and verified', async () => {
  const printed = await guide.run('From discovery to result')
  expect(printed).toBe('CA California, NY New York, TX Texas\nverify true active\n')
})

it('what the provider brings is not asked for', async () => {
  const printed = await guide.run('Ask for what a board needs')
  expect(printed).toBe('license_no,remote_code -> license_no\n0 left\n')
})

it('a search that passed verifies nobody', async () => {
  const printed = await guide.run('Search, verify, account')
  expect(printed).toBe('passed search true null\na search verifies nobody\n')
})

it('a licence that is not there is told alike in both forms', async () => {
  const { lookUp } = await guide.load<{ lookUp(number: string, name?: string): Promise<string> }>('Not found')

  expect(await lookUp('RN-482913', 'Alex Sample')).toBe('passed')
  expect(await lookUp('rn 482913', 'Alex Sample')).toBe('passed')
  expect(await lookUp('RN-482913', 'Somebody Else')).toBe('failed')
  expect(await lookUp('RN-000000', 'Alex Sample')).toBe('no such licence')
  expect(await lookUp('RN-000000')).toBe('no such licence')
})

it('a job that runs again is charged once', async () => {
  const { work } = await guide.load<{ work(job: object): Promise<string> }>('It takes long')
  const job = {
    id: 'job-1',
    state: 'CA',
    credential_code: 'EMU-CA-RN',
    license_number: 'RN-482913',
    full_name: 'Alex Sample',
  }
  emulator.faults.add({ match: 'checks.credential', reset: true, when: 'after', times: 3 })

  expect(await work(job)).toBe('run the job again')
  expect(await work(job)).toBe('passed')
  expect(emulator.ledger).toHaveLength(1)
})

it('the licence is matched against the name on the ID', async () => {
  const picture = join(guide.installed.project, 'picture.jpg')
  await writeFile(picture, new Uint8Array([0xff, 0xd8, 0xff, 0xe0]))

  const printed = await guide.run('ID, selfie and licence in one call', {
    env: { FRONT: picture, SELFIE: picture },
  })

  expect(printed).toBe('Alex Sample id_verification,liveness,face_match,credential\n')
})
