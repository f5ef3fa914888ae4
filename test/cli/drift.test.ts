import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCli, temporaryFolder } from './terminal.ts'

const seen = { count: 1, firstSeenAt: '2026-03-01T08:00:00.000Z', lastSeenAt: '2026-03-01T08:00:00.000Z' }
const report = {
  operations: {
    'sessions.retrieve': {
      fields: {
        color: { ...seen, types: ['string'] },
        'checks.*.engine': { ...seen, types: ['null', 'string'] },
      },
      values: { status: { ...seen, count: 12, lastSeenAt: '2026-03-09T08:00:00.000Z' } },
      codes: { wallet_frozen: seen },
    },
  },
}

async function drift(files: readonly unknown[], flags: readonly string[] = []) {
  const folder = await temporaryFolder()
  const names = files.map((_, i) => join(folder, `${i}.json`))
  for (const [i, name] of names.entries()) await writeFile(name, JSON.stringify(files[i]))
  return runCli(['drift', ...names, ...flags])
}

it('prints each difference with its types, how often it was received and when', async () => {
  const { status, stdout, stderr } = await drift([report])
  expect([status, stderr]).toEqual([1, ''])
  expect(stdout).toBe(`Responses of the identity service differ from its contract as follows.

sessions.retrieve
  fields that the contract does not list
    color            string, once on 2026-03-01
    checks.*.engine  null or string, once on 2026-03-01
  fields with a value that the contract does not list
    status  12 times from 2026-03-01 to 2026-03-09
  error codes that the contract does not list for the operation
    wallet_frozen  once on 2026-03-01
`)
})

it('adds up several reports', async () => {
  const { stdout } = await drift([report, report], ['--json'])
  expect(JSON.parse(stdout).operations['sessions.retrieve'].values.status.count).toBe(24)
})

it('an empty report says that every response was as the contract says, with exit status 0', async () => {
  const { status, stdout } = await drift([{ operations: {} }])
  expect([status, stdout]).toEqual([0, 'Every response was as the service contract says.\n'])
})

it.each([
  'text',
  null,
  {},
  { operations: [] },
  { operations: { a: { other: {} } } },
  { operations: { a: { fields: { b: { count: 'x' } } } } },
])('a file that is not a drift report is rejected, with how to write one: %j', async (file) => {
  const { status, stdout, stderr } = await drift([file])
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toContain('not a drift report')
  expect(stderr).toContain('JSON.stringify(await drift.report())')
})

it('what a report contains cannot control a terminal', async () => {
  const { stdout } = await drift([{ operations: { 'a\u001b[2J': { codes: { 'b\u009b': seen } } } }])
  expect(stdout).toContain('a\\u001b[2J\n')
  expect(stdout).toContain('b\\u009b  once')
})
