import { readFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { type DriftReport, memoryStore, type VerificationClient } from '../../src/index.ts'
import { runCli } from '../cli/terminal.ts'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/guides/drift.md')

it('the recorder writes the differences of all clients to the store, and the report has them', async () => {
  const modules = { './store.js': { store: memoryStore() } }
  const recording = await guide.load<{
    readonly client: VerificationClient
    readonly drift: { report(): Promise<DriftReport> }
  }>('Record differences', { modules })
  guide.emulator.faults.add({ match: 'sessions.list', status: 418, code: { unlisted: 'brewing' } })

  await recording.client.sessions.list().catch(() => {})

  expect(await recording.drift.report()).toMatchObject({
    operations: { 'sessions.list': { codes: { brewing: { count: 1 } }, statuses: { 418: { count: 1 } } } },
  })
})

it('the report is written as JSON', async () => {
  const writeFile = vi.fn()
  const report = { operations: {} }
  await guide.load('Read the report', {
    modules: { 'node:fs/promises': { writeFile }, './drift.js': { drift: { report: async () => report } } },
  })
  expect(writeFile).toHaveBeenCalledWith('drift.json', JSON.stringify(report))
})

it('the output is that of the command', async () => {
  const seen = { count: 1, firstSeenAt: '2026-03-01T08:00:00.000Z', lastSeenAt: '2026-03-01T08:00:00.000Z' }
  const until = { lastSeenAt: '2026-03-09T08:00:00.000Z' }
  const report = {
    operations: {
      'sessions.retrieve': {
        fields: {
          color: { ...seen, types: ['string'] },
          'checks.*.engine': { ...seen, ...until, count: 3, types: ['null', 'string'] },
        },
        values: { status: { ...seen, ...until, count: 12 } },
      },
    },
  }
  const { stdout } = await runCli('drift -', { stdin: JSON.stringify(report) })
  expect(readFileSync('docs/guides/drift.md', 'utf8')).toContain(stdout)
})
