import { writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { inviteMethods } from '../../contract/organization/roster-terms.ts'
import type { InviteMethod } from '../../org.ts'
import { subcommand } from '../command.ts'
import { CommandFailure } from '../failure.ts'
import { readAll } from '../input.ts'
import { need, readSettings, type SettingsOptions } from '../settings.ts'
import type { Shell } from '../shell.ts'
import { toCsv } from './csv.ts'
import { digest, Journal } from './journal.ts'
import { organization } from './organization.ts'
import { progressBar } from './progress.ts'
import { type Rows, readRows } from './rows.ts'
import { type Refused, send } from './send.ts'

interface ImportFlags extends SettingsOptions {
  readonly dryRun?: boolean
  readonly invite: InviteMethod
  readonly notify: boolean
  readonly resume?: string
  readonly report?: string
}

type Outcome = 'created' | 'reactivated' | 'skipped' | 'invalid' | 'failed' | 'unknown' | 'pending' | 'valid'

/** A line of the report. */
interface Reported {
  readonly line: number
  readonly email: string
  readonly outcome: Outcome
  readonly column?: string
  readonly detail?: string
  readonly member_id?: string
  readonly activation_link?: string
}

const reportColumns = ['line', 'email', 'outcome', 'column', 'detail', 'member_id'] as const

export function addImport(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'import',
    summary: 'add the people of a CSV file to the roster, and report on each row',
    examples: [
      'members import people.csv --dry-run',
      'members import people.csv --report outcome.csv',
      'members import people.csv --invite face --no-notify --json',
    ],
    notes: `The first line names the columns: email, and first_name, last_name, role if any. Others are ignored.
Rows that cannot be right are reported with line and column, and not sent. A member who was deactivated
comes back (reactivated); one who is there already is skipped.

Rows that are done are kept in FILE.csv.import beside the file until all are. The same command again
goes on with the others: after Ctrl-C, a failure or a crash. Ctrl-C waits for the call under way; a second
one does not, and then what that call added is reported as skipped next time.

With --no-notify the report holds the links of face invites: whoever has one can activate that member.
In CSV, a cell that begins with = + - @ or a tab gets a ' before it, so that no spreadsheet runs it.`,
  })
    .argument('<file.csv>', 'UTF-8; commas, semicolons or tabs')
    .option('--dry-run', 'check the file and send nothing')
    .addOption(new Option('--invite <method>', 'how they are invited').choices(inviteMethods).default('auto'))
    .option('--notify', 'email the invites (default)', true)
    .option('--no-notify', 'do not email them: report the links instead')
    .option('--resume <file>', 'go on with what this file says is done')
    .option('--report <file>', 'write the report there, readable by you alone')
    .action((file: string, flags: ImportFlags) => importMembers(shell, file, flags))
}

async function importMembers(shell: Shell, file: string, flags: ImportFlags): Promise<void> {
  const bytes = await readAll(shell, file)
  const read = readRows(bytes)
  if (read.ignored.length > 0) shell.note(`columns that are ignored: ${read.ignored.join(', ')}`)
  if (flags.dryRun) {
    const valid = read.rows.map(({ line, member }) => ({
      line,
      email: member.email,
      outcome: 'valid' as const,
    }))
    return await report(shell, flags, [...valid, ...read.leftOut])
  }
  if (file === '-' && flags.resume === undefined)
    throw new CommandFailure('rows from stdin need --dry-run: what is done is kept beside the file')
  const settings = await readSettings(shell, flags)
  const org = organization(shell, settings)
  // A place that cannot be written to is better known before anybody is added.
  if (flags.report !== undefined) await writeFile(flags.report, '', { mode: 0o600 })
  const { invite, notify } = flags
  const journal = await Journal.open(
    flags.resume ?? `${file}.import`,
    {
      csv: digest(bytes),
      target: digest(need(settings, 'SVC_ORG_BASE_URL'), need(settings, 'SVC_CLIENT_ID')),
      notify,
      invite,
    },
    { mustExist: flags.resume !== undefined },
  )
  try {
    if (journal.done.size > 0) shell.note(`going on: ${journal.done.size} rows are done (${journal.path})`)
    const refused = new Map<number, Refused>()
    const left = read.rows.filter(({ line }) => !journal.done.has(line))
    const failure = await sendAll(shell, { journal, refused, total: read.rows.length }, (stops, signal) =>
      send(org.members, left, { invite, notify, stops, signal }),
    )
    await report(shell, flags, reportedRows(read, journal, refused), journal)
    if (failure !== undefined) throw failure
  } finally {
    await journal.close()
  }
  if (shell.exit === 'done' || shell.exit === 'no') await journal.remove()
}

interface Work {
  readonly journal: Journal
  readonly refused: Map<number, Refused>
  readonly total: number
}

/** @returns what ended it before its end, if anything did */
async function sendAll(
  shell: Shell,
  { journal, refused, total }: Work,
  begin: (stops: () => boolean, signal: AbortSignal) => ReturnType<typeof send>,
): Promise<unknown> {
  const bar = progressBar(shell, total)
  const controller = new AbortController()
  let interrupts = 0
  const deafen = shell.around.onInterrupt(() => {
    interrupts += 1
    if (interrupts > 1) return controller.abort()
    shell.note('ending after the call under way; Ctrl-C again ends at once')
  })
  try {
    bar.show(journal.done.size)
    for await (const sent of begin(() => interrupts > 0, controller.signal)) {
      await journal.add(sent.done)
      for (const row of sent.refused) refused.set(row.line, row)
      bar.show(journal.done.size + refused.size)
    }
  } catch (error) {
    return error
  } finally {
    bar.end()
    deafen()
    if (interrupts > 0) shell.exit = 'interrupted'
  }
  return undefined
}

function reportedRows({ rows, leftOut }: Rows, { done }: Journal, refused: Map<number, Refused>): Reported[] {
  const sent = rows.map(({ line, member: { email } }): Reported => {
    const result = done.get(line) ?? refused.get(line) ?? { outcome: 'pending' as const }
    return { email, ...result, line }
  })
  return [...sent, ...leftOut]
}

async function report(
  shell: Shell,
  flags: ImportFlags,
  unsorted: readonly Reported[],
  journal?: Journal,
): Promise<void> {
  const rows = [...unsorted].sort((a, b) => a.line - b.line)
  const summary: { [Each in Outcome]?: number } = {}
  for (const { outcome } of rows) summary[outcome] = (summary[outcome] ?? 0) + 1
  if (shell.exit === 'done') {
    if (summary.failed || summary.unknown || summary.pending) shell.exit = 'service'
    else if (summary.invalid) shell.exit = 'no'
  }
  const isOver = shell.exit === 'done' || shell.exit === 'no'
  const resume = journal === undefined || isOver ? {} : { resume: journal.path }
  const columns = flags.notify ? reportColumns : [...reportColumns, 'activation_link']
  const text = shell.json
    ? `${JSON.stringify({ summary, ...resume, rows }, null, 2)}\n`
    : toCsv(columns, rows)
  if (flags.report === undefined) shell.say(text.trimEnd())
  else await writeFile(flags.report, text, { mode: 0o600 })
  if (flags.report !== undefined && shell.json) shell.sayJson({ summary, ...resume, report: flags.report })
  const counts = Object.entries(summary).map(([outcome, count]) => `${count} ${outcome}`)
  if (!shell.json) shell.note(counts.join(', ') || 'no rows')
  if (resume.resume !== undefined && !shell.json)
    shell.note(`the same command again goes on with the others (${resume.resume})`)
}
