import type { Command } from 'commander'
import type { DriftReport, DriftSeen } from 'identity-service-sdk/verification'
import { driftKinds, emptyReport, mergeReports, readReport } from '../http/drift/drift-report.ts'
import { parseJson } from '../runtime/bytes.ts'
import { subcommand } from './command.ts'
import { CommandFailure } from './failure.ts'
import { readInput } from './files/read-input.ts'
import { type Shell, styled } from './shell.ts'

const titles: Readonly<Record<(typeof driftKinds)[number], string>> = {
  fields: 'fields that the contract does not list',
  types: 'fields of another type',
  values: 'fields with a value that the contract does not list',
  codes: 'error codes that the contract does not list for the operation',
  statuses: 'HTTP statuses that the contract does not list',
}

export function addDrift(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'drift',
    summary: 'print where responses differ from the service contract',
    examples: ['drift drift.json', 'drift monday.json tuesday.json --json'],
    notes: `A file contains what report() of createDriftRecorder returned, as JSON. Several reports are added up.
A report contains names, types, counts and times, and no values, so it can be sent to the operator of
the service. The exit status is 1 if there are differences. The command sends no requests.`,
    settings: false,
  })
    .argument('<files...>', 'reports as JSON; - reads stdin')
    .action((files: readonly string[]) => printDrift(shell, files))
}

async function printDrift(shell: Shell, files: readonly string[]): Promise<void> {
  let report = emptyReport
  for (const file of files) report = mergeReports(report, await readFileReport(shell, file))
  const operations = Object.entries(report.operations)
  if (operations.length > 0) shell.exit = 'negative'
  if (shell.json) return shell.printJson(report)
  if (operations.length === 0) return shell.print('Every response was as the service contract says.')
  shell.print('Responses of the identity service differ from its contract as follows.')
  for (const [operation, drift] of operations) {
    shell.print()
    shell.print(styled('bold', operation))
    for (const kind of driftKinds) {
      const entries = Object.entries(drift[kind] ?? {})
      if (entries.length === 0) continue
      shell.print(`  ${titles[kind]}`)
      const width = Math.max(...entries.map(([name]) => name.length))
      for (const [name, seen] of entries) shell.print(`    ${name.padEnd(width)}  ${describe(seen)}`)
    }
  }
}

function describe({ count, firstSeenAt, lastSeenAt, types }: DriftSeen): string {
  const [first, last] = [firstSeenAt, lastSeenAt].map((time) => time.slice(0, 10))
  const days = first === last ? `on ${first}` : `from ${first} to ${last}`
  return `${types === undefined ? '' : `${types.join(' or ')}, `}${count === 1 ? 'once' : `${count} times`} ${days}`
}

async function readFileReport(shell: Shell, file: string): Promise<DriftReport> {
  const report = readReport(parseJson((await readInput(shell, file)).toString('utf8')))
  if (report) return report
  throw new CommandFailure(
    `The file is not a drift report. Write one with JSON.stringify(await drift.report()).`,
    { code: 'drift_report' },
  )
}
