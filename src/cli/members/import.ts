import { type Command, Option } from 'commander'
import type { InviteMethod } from 'identity-service-sdk'
import { inviteMethods } from '../../contract/organization/roles.ts'
import { subcommand } from '../command.ts'
import { CommandFailure, toFailureReport } from '../failure.ts'
import { claimOutput } from '../files/private-file.ts'
import { readInput } from '../files/read-input.ts'
import { readSettings, requireSetting, type SettingsOptions } from '../settings.ts'
import type { Shell } from '../shell.ts'
import { csvNote } from './csv.ts'
import { digest, Journal, readJournal } from './journal.ts'
import { createOrgClient } from './org-client.ts'
import { progressBar } from './progress.ts'
import { isComplete, type ReportRow, reportColumns, writeReport } from './report.ts'
import { type Rows, readRows } from './rows.ts'
import { type FailedRow, send } from './send.ts'

interface ImportFlags extends SettingsOptions {
  readonly dryRun?: boolean
  readonly invite: InviteMethod
  readonly notify: boolean
  readonly resume?: string
  readonly report?: string
  readonly force?: boolean
}

export function addImport(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'import',
    summary: 'add the people in a CSV file to the roster, and report on each row',
    examples: [
      'members import people.csv --dry-run',
      'members import people.csv --report outcome.csv',
      'members import people.csv --invite face --no-notify --json',
    ],
    notes: `The first line names the columns: email, and optionally first_name, last_name, role. Other columns
are ignored. Invalid rows are reported with line and column, and not sent. Deactivated members are
reactivated. Existing members are skipped.

Rows that are done are recorded in a journal next to the file, FILE.csv.import, until all are done.
After Ctrl-C, a failure or a crash, run the same command again to resume. Ctrl-C waits for the
current request. A second Ctrl-C does not wait: the next run then reports the rows that this request
added as skipped.

With --no-notify, the report contains the links of face invites. Anyone who has a link can activate
that member. The links are in no other place, so a report that exists is overwritten only by the
import that wrote it, when it is resumed, or with --force.

--dry-run lists the rows that would not be sent, and counts the others.
${csvNote}`,
  })
    .argument('<file.csv>', 'UTF-8, separated by commas, semicolons or tabs')
    .option('--dry-run', 'check the file and send nothing')
    .addOption(
      new Option('--invite <method>', 'how members are invited').choices(inviteMethods).default('auto'),
    )
    .option('--notify', 'email the invites', true)
    .option('--no-notify', 'do not email the invites: write the links to the report')
    .option('--resume <file>', 'resume from this journal instead of FILE.csv.import')
    .option('--report <file>', 'write the report to a file that only you can read, instead of stdout')
    .option('--force', 'overwrite the report if it exists')
    .action((file: string, flags: ImportFlags) => importMembers(shell, file, flags))
}

async function importMembers(shell: Shell, file: string, flags: ImportFlags): Promise<void> {
  const { invite, notify, resume, force = false } = flags
  const report = flags.report === undefined ? undefined : { path: flags.report, option: '--report' }
  const bytes = await readInput(shell, file)
  const read = readRows(bytes)
  if (read.ignoredColumns.length > 0) shell.log(`Ignored columns: ${read.ignoredColumns.join(', ')}`)
  if (flags.dryRun) {
    if (report !== undefined) await claimOutput(report, { overwrite: force })
    const valid = read.rows.map(({ line, member }): ReportRow => {
      return { line, email: member.email, outcome: 'valid' }
    })
    const rows = [...valid, ...read.excluded]
    return await writeReport(shell, rows, { file: report, columns: reportColumns.dryRun })
  }
  if (file === '-' && resume === undefined)
    throw new CommandFailure(
      'Rows from stdin require --dry-run, because the journal is kept next to the file. ' +
        'Pass a file, or the journal with --resume.',
    )
  const settings = await readSettings(shell, flags)
  const org = createOrgClient(shell, settings)
  const inputs = {
    csv: digest(bytes),
    target: digest(requireSetting(settings, 'SVC_ORG_BASE_URL'), requireSetting(settings, 'SVC_CLIENT_ID')),
    notify,
    invite,
  }
  const path = resume ?? `${file}.import`
  const saved = await readJournal(path, inputs, { mustExist: resume !== undefined })
  // Fails before any member is added if the report cannot be written.
  if (report !== undefined) await claimOutput(report, { overwrite: force || saved.hasReport(report.path) })
  const journal = await Journal.open(path, saved, { inputs, report: report?.path })
  try {
    if (journal.done.size > 0)
      shell.log(`Resuming from ${journal.path} (rows that are done: ${journal.done.size})`)
    const failed = new Map<number, FailedRow>()
    const remaining = read.rows.filter(({ line }) => !journal.done.has(line))
    const error = await sendAll(shell, { journal, failed, total: read.rows.length }, (shouldStop, signal) =>
      send(org.members, remaining, { invite, notify, shouldStop, signal }),
    )
    const columns = notify ? reportColumns.import : reportColumns.importWithLinks
    const rows = reportRows(read, journal, failed)
    await writeReport(shell, rows, { file: report, columns, journal: journal.path })
    if (error !== undefined) throw error
  } finally {
    await journal.close()
  }
  if (isComplete(shell)) await journal.remove()
}

interface ImportState {
  readonly journal: Journal
  readonly failed: Map<number, FailedRow>
  readonly total: number
}

/** Sends all rows, records their results and logs failed requests. Returns the error that ended it early, if any. */
async function sendAll(
  shell: Shell,
  { journal, failed, total }: ImportState,
  begin: (shouldStop: () => boolean, signal: AbortSignal) => ReturnType<typeof send>,
): Promise<unknown> {
  const bar = progressBar(shell, total)
  const controller = new AbortController()
  let interrupts = 0
  const removeListener = shell.context.onInterrupt(() => {
    interrupts += 1
    if (interrupts > 1) return controller.abort()
    shell.log('Stopping after the current request. Press Ctrl-C again to stop now.')
  })
  try {
    bar.show(journal.done.size)
    for await (const sent of begin(() => interrupts > 0, controller.signal)) {
      await journal.add(sent.done)
      for (const row of sent.failed) failed.set(row.line, row)
      if (sent.error !== undefined) {
        bar.clear()
        const { message } = toFailureReport(sent.error)
        shell.log(`A request failed (rows: ${sent.failed.length}): ${message}`)
      }
      bar.show(journal.done.size + failed.size)
    }
  } catch (error) {
    return error
  } finally {
    bar.clear()
    removeListener()
    if (interrupts > 0) shell.exit = 'interrupted'
  }
  return undefined
}

function reportRows(
  { rows, excluded }: Rows,
  { done }: Journal,
  failed: ReadonlyMap<number, FailedRow>,
): ReportRow[] {
  const sent = rows.map(({ line, member: { email } }): ReportRow => {
    const result = done.get(line) ?? failed.get(line) ?? { outcome: 'pending' as const }
    return { email, ...result, line }
  })
  return [...sent, ...excluded]
}
