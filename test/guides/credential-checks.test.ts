import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/guides/credential-checks.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

it('a license is found through discovery and verified', async () => {
  const printed = await guide.run('Look up a license')
  expect(printed).toBe('CA California, NY New York, TX Texas\nverify true active\n')
})

it('both forms of "not found" are handled in the same way', async () => {
  const { lookUp } = await guide.load<{ lookUp(...lookup: (string | undefined)[]): Promise<string> }>(
    'Handle a license that is not found',
  )

  expect(await lookUp('RN-482913', 'Alex Sample', 'lookup-1')).toBe('passed')
  expect(await lookUp('rn 482913', 'Alex Sample', 'lookup-2')).toBe('passed')
  expect(await lookUp('RN-482913', 'Another Name', 'lookup-3')).toBe('failed')
  expect(await lookUp('RN-000000', 'Alex Sample', 'lookup-4')).toBe('license not found')
  expect(await lookUp('RN-000000', undefined, 'lookup-5')).toBe('license not found')
})

it('a job that runs again is charged once', async () => {
  const { runJob } = await guide.load<{ runJob(job: object): Promise<string> }>('Run lookups in a queue')
  const job = {
    id: 'job-1',
    state: 'CA',
    credential_code: 'EMU-CA-RN',
    license_number: 'RN-482913',
    full_name: 'Alex Sample',
  }
  emulator.faults.add({ match: 'checks.credential', reset: true, when: 'after', times: 3 })

  expect(await runJob(job)).toBe('run the job again')
  expect(await runJob(job)).toBe('passed')
  expect(emulator.ledger).toHaveLength(1)
})

it('the combined check compares the license with the name on the ID', async () => {
  const picture = new Uint8Array([0xff, 0xd8, 0xff, 0xe0])
  for (const name of ['id.jpg', 'selfie.jpg']) await writeFile(join(guide.installed.project, name), picture)

  const printed = await guide.run('Check ID, selfie and license in one call')

  expect(printed).toBe('Alex Sample id_verification,liveness,face_match,credential\n')
})
