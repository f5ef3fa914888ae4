import { printedJson } from '../escape.ts'
import { type OutputFile, writeOutput } from '../files/private-file.ts'
import type { Shell } from '../shell.ts'
import { toCsv } from './csv.ts'

type Outcome = 'created' | 'reactivated' | 'skipped' | 'invalid' | 'failed' | 'unknown' | 'pending' | 'valid'

/** A row of the report. */
export interface ReportRow {
  readonly line: number
  readonly email: string
  /** `valid`: a row that a dry run would send. It is counted, and not listed. */
  readonly outcome: Outcome
  readonly column?: string
  readonly detail?: string
  readonly member_id?: string
  readonly activation_link?: string
}

const exceptionColumns = ['line', 'email', 'outcome', 'column', 'detail'] as const

/** The columns of a report in CSV. */
export const reportColumns = {
  dryRun: exceptionColumns,
  import: [...exceptionColumns, 'member_id'],
  importWithLinks: [...exceptionColumns, 'member_id', 'activation_link'],
} as const

interface ReportOptions {
  /** The file for the report. Without one, it goes to stdout. */
  readonly file: OutputFile | undefined
  readonly columns: (typeof reportColumns)[keyof typeof reportColumns]
  /** The journal from which the import can be resumed. Not given for a dry run. */
  readonly journal?: string
}

/** Writes the report of an import, and sets the exit status unless the import was interrupted. */
export async function writeReport(
  shell: Shell,
  unsorted: readonly ReportRow[],
  { file, columns, journal }: ReportOptions,
): Promise<void> {
  const rows = unsorted.filter(({ outcome }) => outcome !== 'valid').sort((a, b) => a.line - b.line)
  const summary: { [Each in Outcome]?: number } = {}
  for (const { outcome } of unsorted) summary[outcome] = (summary[outcome] ?? 0) + 1
  if (shell.exit === 'success') {
    if (summary.failed || summary.unknown || summary.pending) shell.exit = 'service'
    else if (summary.invalid) shell.exit = 'negative'
  }
  const resume =
    journal === undefined || isComplete(shell) ? {} : { resume: journal, resume_command: shell.commandLine }
  const report = { summary, ...resume, rows }
  if (file !== undefined)
    await writeOutput(file, shell.json ? [printedJson(report, 2)] : toCsv(columns, rows))
  if (shell.json)
    return shell.printJson(file === undefined ? report : { summary, ...resume, report: file.path })
  if (file === undefined && rows.length > 0) shell.printCsv(toCsv(columns, rows))
  const counts = Object.entries(summary).map(([outcome, count]) => `${count} ${outcome}`)
  shell.log(counts.join(', ') || 'The file has no rows.')
  if (journal === undefined) shell.log('This was a dry run: nothing was sent.')
  if (file !== undefined) shell.log(`Report: ${file.path}`)
  if (resume.resume === undefined) return
  shell.log(`The import is not complete. The rows that are done are recorded in ${resume.resume}.`)
  shell.log(`To resume, run: ${resume.resume_command}`)
}

/** Whether no row is left that running the command again would send. */
export const isComplete = ({ exit }: Shell): boolean => exit === 'success' || exit === 'negative'
