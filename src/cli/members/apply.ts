import {
  ApiError,
  type AppliedChange,
  type ApplyPlanOptions,
  InvalidResponseError,
  type Members,
  type RosterPlanJson,
} from 'identity-service-sdk'
import { membersPerCall } from '../../contract/organization/roles.ts'
import { nearestName } from '../../options/nearest-name.ts'
import { printedJson } from '../escape.ts'
import { CommandFailure, reasonOf, toFailureReport } from '../failure.ts'
import { type OutputFile, writeOutput } from '../files/private-file.ts'
import type { Shell } from '../shell.ts'
import { deletion, lineOf, personOf } from './change-line.ts'
import { toCsvFile } from './csv.ts'
import { progressBar } from './progress.ts'

interface ApplySettings extends Required<Pick<ApplyPlanOptions, 'notify' | 'invite'>> {
  readonly plan: RosterPlanJson
  /** The file for the report. Without one, it goes to stdout. */
  readonly out: OutputFile | undefined
}

/** Makes the changes of a plan, and reports on each. Returns whether none is left. */
export async function apply(shell: Shell, members: Members, settings: ApplySettings): Promise<boolean> {
  const { plan, notify, invite } = settings
  const bar = progressBar(shell, plan.changes.length)
  const controller = new AbortController()
  let interrupts = 0
  const removeListener = shell.context.onInterrupt(() => {
    interrupts += 1
    if (interrupts > 1) return controller.abort()
    bar.clear()
    shell.log('Stopping after the current call. Press Ctrl-C again to stop now.')
  })
  const applied: AppliedChange[] = []
  try {
    for await (const one of members.applyPlan(plan, { notify, invite, signal: controller.signal })) {
      bar.show(applied.push(one))
      if (interrupts > 0 && endsCall(plan, applied.length)) break
    }
  } finally {
    removeListener()
    bar.clear()
    await report(shell, settings, applied)
  }
  const isComplete = applied.length === plan.changes.length
  if (!isComplete) shell.exit = 'interrupted'
  else if (applied.some(({ error }) => error !== undefined)) shell.exit = 'service'
  return shell.exit === 'success'
}

/** Whether the first changes of a plan, up to this number, are whole calls: additions share one, and others do not. */
const endsCall = ({ changes }: RosterPlanJson, made: number) =>
  changes[made]?.action !== 'add' || made % membersPerCall.max === 0

const skipReasons: Readonly<Record<NonNullable<AppliedChange['skipped']>, string>> = {
  not_needed: 'the roster does not need it',
  duplicate: 'the person is a member already',
  not_found: 'nobody was found, because no member has this id',
  other_email: 'the member has another email than the plan says. Make the plan again',
}

interface ReportRow {
  readonly action: AppliedChange['change']['action']
  readonly permanent?: true
  readonly email: string
  readonly outcome: 'done' | 'skipped' | 'kept' | 'failed'
  /** Why it was skipped. */
  readonly reason?: AppliedChange['skipped']
  /** The code of the error. */
  readonly code?: string
  readonly detail?: string
  readonly member_id?: string
  /** Anyone who has the link can activate the member. */
  readonly activation_link?: string
}

function rowOf(applied: AppliedChange, plan: RosterPlanJson): ReportRow {
  const { change, member, error, skipped, kept, rejectedFields } = applied
  const row = {
    action: change.action,
    ...(change.action === 'remove' && plan.remove === 'permanent' && ({ permanent: true } as const)),
    email: personOf(change).email,
  }
  if (skipped !== undefined) {
    const detail = `${skipReasons[skipped]}${skipped === 'not_found' ? nearestTo(row.email, plan) : ''}`
    return { ...row, outcome: 'skipped', reason: skipped, detail }
  }
  if (kept) return { ...row, outcome: 'kept', detail: 'an addition or reactivation failed' }
  if (error !== undefined) {
    const fields = Object.entries(rejectedFields ?? {}).map(([field, texts]) => `${field} ${texts.join('; ')}`.trim())
    const detail = fields.length > 0 ? `rejected: ${fields.join('; ')}` : toFailureReport(error).message
    return { ...row, outcome: 'failed', code: error.code, detail }
  }
  const link = member && 'activation_link' in member ? member.activation_link : undefined
  // A person whose identity is gone activates again, and the service returns no link.
  const isWaiting = change.action === 'reactivate' && member?.status === 'invited'
  return {
    ...row,
    outcome: 'done',
    ...(isWaiting && { detail: 'has to activate again, and has no link' }),
    ...(member && { member_id: member.member_id }),
    ...(link && { activation_link: link }),
  }
}

/** Returns a sentence with the member who is probably meant, because a plan may have been edited. */
function nearestTo(email: string, { unchanged }: RosterPlanJson): string {
  const nearest = nearestName(
    email,
    unchanged.map((one) => String(one.email)),
  )
  return nearest === undefined ? '' : `. The nearest address is ${nearest}`
}

/** Whether the service may have made a change, although its call failed. */
function mayBeDone(error: AppliedChange['error']): boolean {
  if (error instanceof ApiError) return error.status >= 500
  if (error !== undefined && 'mayHaveArrived' in error) return error.mayHaveArrived
  return error instanceof InvalidResponseError
}

/** What to read if a link is in no report. */
export const lostLinkHelp = 'To get a lost link again, see docs/guides/sync-roster.md in the package'

const columns = ['action', 'email', 'outcome', 'detail', 'member_id'] as const

async function report(shell: Shell, settings: ApplySettings, applied: readonly AppliedChange[]): Promise<void> {
  const { plan, notify, out } = settings
  const rows = applied.map((one) => rowOf(one, plan))
  const summary = { done: 0, skipped: 0, kept: 0, failed: 0, pending: plan.changes.length - applied.length }
  for (const { outcome } of rows) summary[outcome] += 1
  const left = summary.kept + summary.failed + summary.pending
  // The same command would not overwrite this report.
  const resume = left === 0 || out !== undefined ? {} : { resume_command: shell.commandLine }
  const json = { summary, ...resume, changes: rows }
  if (out !== undefined) {
    const records = rows.map((row) => ({ ...row, action: row.permanent ? deletion : row.action }))
    const csv = () => toCsvFile(notify ? columns : [...columns, 'activation_link'], records)
    try {
      await writeOutput(out, shell.json ? [printedJson(json, 2)] : csv())
    } catch (error) {
      // The links are in no other place.
      await report(shell, { ...settings, out: undefined }, applied)
      throw new CommandFailure(`${reasonOf(error)} The report is in the output above.`)
    }
  }
  if (shell.json) return shell.printJson(out === undefined ? json : { summary, file: out.path })
  if (out === undefined)
    for (const [index, { change }] of applied.entries()) {
      const { outcome, detail, activation_link: link } = rows[index] as ReportRow
      const parts = [outcome === 'done' ? detail : `${outcome}: ${detail}`, link]
      shell.print(...lineOf(change, plan), ...parts.filter(Boolean).map((part) => `  ${part}`))
    }
  shell.log(
    Object.entries(summary)
      .map(([outcome, count]) => `${count} ${outcome}`)
      .join(', '),
  )
  if (out !== undefined) shell.log(`Report: ${out.path}`)
  if (left === 0) return
  if (summary.kept > 0)
    shell.log(
      'Nobody was removed, because an addition or reactivation failed: the person can be one who would be removed.',
    )
  if (!notify && applied.some(({ change, error }) => change.action === 'add' && mayBeDone(error)))
    shell.log(`People of a failed call can be members now, without a link in the report. ${lostLinkHelp}`)
  shell.log(
    resume.resume_command === undefined
      ? 'To make the changes that are left, run the same command again with another file for --out.'
      : `To make the changes that are left, run: ${resume.resume_command}`,
  )
}
