import { writeFile } from 'node:fs/promises'
import type { Shell } from '../shell.ts'
import { toCsv } from './csv.ts'

type Outcome = 'created' | 'reactivated' | 'skipped' | 'invalid' | 'failed' | 'unknown' | 'pending' | 'valid'

/** A row of the report. */
export interface ReportRow {
  readonly line: number
  readonly email: string
  readonly outcome: Outcome
  readonly column?: string
  readonly detail?: string
  readonly member_id?: string
  readonly activation_link?: string
}

interface ReportOptions {
  /** The file for the report. Without one, it goes to stdout. */
  readonly file: string | undefined
  /** Whether the report has a column for activation links. */
  readonly withLinks: boolean
  /** The journal from which the import can be resumed. Not given for a dry run. */
  readonly journal?: string
}

const columns = ['line', 'email', 'outcome', 'column', 'detail', 'member_id'] as const

/** Writes the report of an import, and sets the exit status unless the import was interrupted. */
export async function writeReport(
  shell: Shell,
  unsorted: readonly ReportRow[],
  { file, withLinks, journal }: ReportOptions,
): Promise<void> {
  const rows = [...unsorted].sort((a, b) => a.line - b.line)
  const summary: { [Each in Outcome]?: number } = {}
  for (const { outcome } of rows) summary[outcome] = (summary[outcome] ?? 0) + 1
  if (shell.exit === 'success') {
    if (summary.failed || summary.unknown || summary.pending) shell.exit = 'service'
    else if (summary.invalid) shell.exit = 'negative'
  }
  const resume = journal === undefined || isComplete(shell) ? {} : { resume: journal }
  const text = shell.json
    ? `${JSON.stringify({ summary, ...resume, rows }, null, 2)}\n`
    : toCsv(withLinks ? [...columns, 'activation_link'] : columns, rows)
  if (file === undefined) shell.print(text.trimEnd())
  else await writeFile(file, text, { mode: 0o600 })
  if (shell.json) {
    if (file !== undefined) shell.printJson({ summary, ...resume, report: file })
    return
  }
  const counts = Object.entries(summary).map(([outcome, count]) => `${count} ${outcome}`)
  shell.log(counts.join(', ') || 'The file has no rows.')
  if (resume.resume !== undefined)
    shell.log(`Run the same command again to resume (journal: ${resume.resume}).`)
}

/** Whether no row is left that running the command again would send. */
export const isComplete = ({ exit }: Shell): boolean => exit === 'success' || exit === 'negative'
