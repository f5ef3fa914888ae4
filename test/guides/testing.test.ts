import { expect, it } from 'vitest'
import { sampleLicenses } from '../../src/emulator/model/checks/license-board.ts'
import { createEmulator } from '../../src/emulator.ts'
import { memoryStore, type Store, VerificationClient } from '../../src/index.ts'
import { testStore } from '../../src/stores-testing.ts'
import { documentedCode } from '../support/documented-code.ts'
import { columnOf } from './reading.ts'

const guide = documentedCode('docs/guides/testing.md')

/** The reader's own code. */
async function outcomeOf(client: VerificationClient, guest: string): Promise<string> {
  const [session] = await client.sessions.list({ vendor_data: guest })
  const { decision, checks } = await client.sessions.decision(String(session?.session_id))
  const failed = checks.filter(({ status }) => status === 'failed').map(({ type }) => type)
  return decision === null ? 'none yet' : `${decision}: ${failed.join()}`
}

it('the assertions of the test without a network hold', async () => {
  const guests: string[] = []
  const app = {
    outcomeOf: (client: VerificationClient, guest: string) => {
      guests.push(guest)
      return outcomeOf(client, guest)
    },
  }

  await guide.run('Test without a network', { modules: { './app.ts': app } })

  expect(guests).toEqual(['ada', 'ada'])
})

it('the assertions of the test with MSW hold in a separate process', async () => {
  await expect(guide.runAlone('Test with MSW')).resolves.toBe('')
})

it.each(['Simulate failures', 'Control time', 'Control time 2', 'Test webhooks'])(
  'the assertions under "%s" hold',
  async (name) => {
    await expect(guide.run(name)).resolves.toBe('')
  },
)

it('the store that the guide tests is checked by every rule', async () => {
  const made: Store[] = []
  const myStore = () => {
    made.push(memoryStore())
    return made[made.length - 1]
  }

  await guide.run('Test your own store', { modules: { './my-store.ts': { myStore } } })

  expect(made).toHaveLength([...testStore(memoryStore)].length)
})

it('the table of fixtures lists the defaults of an emulator without options', async () => {
  const emulator = createEmulator()
  const client = new VerificationClient(emulator.options.verification)
  const defaults = columnOf('docs/guides/testing.md', 'Fixtures', 1)

  const workflows = (await client.experimental.workflows.list()).map(({ id }) => id)
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
