import { expect, it } from 'vitest'
import { sampleLicenses } from '../../src/emulator/checks/license-board.ts'
import { createEmulator } from '../../src/emulator.ts'
import { VerificationClient } from '../../src/index.ts'
import { documented } from '../support/documented.ts'
import { columnOf } from './reading.ts'

const guide = documented('docs/testing.md')

/** The reader's own code. */
async function newsOf(client: VerificationClient, guest: string): Promise<string> {
  const [session] = await client.sessions.list({ vendor_data: guest })
  const { decision, checks } = await client.sessions.decision(String(session?.session_id))
  const failed = checks.filter(({ status }) => status === 'failed').map(({ type }) => type)
  return decision === null ? 'none yet' : `${decision}: ${failed.join()}`
}

it('what is expected in a test without a network comes true', async () => {
  const asked: string[] = []
  const app = {
    newsOf: (client: VerificationClient, guest: string) => {
      asked.push(guest)
      return newsOf(client, guest)
    },
  }

  await guide.run('Without a network', { modules: { './app.js': app } })

  expect(asked).toEqual(['ada', 'ada'])
})

it.each(['Behind the global fetch', 'As a server'])(
  'what is expected under "%s" comes true in a process of its own',
  async (name) => {
    await expect(guide.runAlone(name)).resolves.toBe('')
  },
)

it.each(['What goes wrong', 'Time', 'Webhooks', 'Webhooks 2'])(
  'what is expected under "%s" comes true',
  async (name) => {
    await expect(guide.run(name)).resolves.toBe('')
  },
)

it('the fixtures are those that an emulator without options has', async () => {
  const emulator = createEmulator()
  const client = new VerificationClient(emulator.options.verification)
  const defaults = columnOf('docs/testing.md', 'What is there', 1)

  const workflows = (await client.workflows.list()).map(({ id }) => id)
  const [ofSample] = sampleLicenses.filter(({ license_number }) => license_number === 'RN-482913')
  const { check } = await client.checks.idVerification({ front_image: new Uint8Array(8) })
  await client.checks.age({ dob: '1990-01-01', bands: [18] })
  const [first] = emulator.ledger

  expect(sampleLicenses).toHaveLength(3)
  expect(defaults).toEqual([
    workflows.join(', '),
    check.data.fields?.full_name,
    `RN-482913, ${ofSample?.license_type} in ${ofSample?.license_state}`,
    'user_sample',
    'empty',
    `${(first?.balance ?? 0) + (first?.amount ?? 0)}, ${first?.amount} a call`,
  ])
})
