import { rm } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type { AppliedChange, Members, RosterChange, RosterPlanJson } from 'identity-service-sdk'
import { isJsonObject } from '../../contract/schema/json-object.ts'
import { parseJson } from '../../runtime/bytes.ts'
import { memoryStore } from '../../stores/memory.ts'
import type { Store } from '../../stores/store.ts'
import { subcommand, wholeNumberArgument } from '../command.ts'
import { CommandFailure, toFailureReport } from '../failure.ts'
import { readPrivate } from '../files/private-file.ts'
import { readInput } from '../files/read-input.ts'
import { replaceFile } from '../files/replace-file.ts'
import { readSettings, type SettingsOptions } from '../settings.ts'
import { type Shell, type Styled, styled, toCommandLine } from '../shell.ts'
import { createOrgClient } from './org-client.ts'
import { progressBar } from './progress.ts'
import { readRows } from './rows.ts'

interface SyncFlags extends SettingsOptions {
  readonly plan?: boolean
  readonly apply?: boolean
  readonly maxRemovals?: number
  readonly permanent?: boolean
}

export function addSync(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'sync',
    summary: 'make the roster equal to a CSV file: add, reactivate and remove members',
    examples: [
      'members sync people.csv --plan',
      'members sync people.csv --apply --max-removals 15',
      'members sync people.csv --plan --max-removals 15 --json > plan.json',
      'members sync plan.json --apply',
    ],
    notes: `The file has the columns of "members import". --plan prints what would change, and sends nothing. With
--json, it prints a plan that can be reviewed, saved and applied later: then the plan is the file, and
its own limit of removals holds, unless --max-removals sets another one.

Nothing is sent if a row is invalid or occurs twice, if the file has no rows, or if more members than
--max-removals would be removed. Only members with the role "member" are removed.

After Ctrl-C, a failure or a crash, run the same command again: it makes the changes that are left. The
changes of a saved plan that are done are recorded next to it, in PLAN.json.journal.`,
  })
    .argument('<file>', 'a CSV file as for "members import", or a saved plan')
    .option('--plan', 'print what would change, and send nothing')
    .option('--apply', 'make the changes')
    .addOption(
      new Option('--max-removals <n>', 'how many members may be removed (default: 0)').argParser(
        wholeNumberArgument('--max-removals', 0, 1_000_000),
      ),
    )
    .option('--permanent', 'delete the rows of removed members, in place of deactivating them')
    .action((file: string, flags: SyncFlags) => syncMembers(shell, file, flags))
}

async function syncMembers(shell: Shell, file: string, flags: SyncFlags): Promise<void> {
  if ((flags.plan === true) === (flags.apply === true))
    throw new CommandFailure('Pass either --plan, to see what would change, or --apply, to change it.')
  const bytes = await readInput(shell, file)
  const saved = savedPlanIn(bytes, flags)
  if (saved !== undefined && flags.plan) return printPlan(shell, saved)
  const { members } = createOrgClient(shell, await readSettings(shell, flags))
  const plan = saved ?? (await makePlan(members, bytes, flags))
  if (flags.plan) return printPlan(shell, plan)
  checkRemovals(plan)
  await apply(shell, members, {
    plan,
    journal: saved === undefined ? undefined : await openJournal(`${file}.journal`),
  })
}

/**
 * Returns the plan in a file. `undefined`: the file is something else, such as CSV. What is printed of it is checked here,
 * and the rest by `applyPlan`.
 */
function savedPlanIn(bytes: Uint8Array, { maxRemovals, permanent }: SyncFlags): RosterPlanJson | undefined {
  const value = parseJson(new TextDecoder().decode(bytes))
  if (!isJsonObject(value)) return undefined
  const { changes, unchanged, conflicts } = value
  const areLists = [changes, unchanged, conflicts].every(Array.isArray)
  if (!areLists || !(changes as readonly unknown[]).every(isChange))
    throw new CommandFailure('The file is JSON, but not a plan of "members sync". Make the plan again.', {
      code: 'plan',
    })
  if (permanent)
    throw new CommandFailure(
      '--permanent is a part of a saved plan. Make the plan again with it, from the CSV file.',
    )
  const saved = value as unknown as RosterPlanJson
  return { ...saved, maxRemovals: maxRemovals ?? saved.maxRemovals }
}

async function makePlan(members: Members, bytes: Uint8Array, flags: SyncFlags): Promise<RosterPlanJson> {
  const { rows, excluded } = readRows(bytes)
  const [fault] = excluded
  if (fault !== undefined) {
    const more = excluded.length === 1 ? '' : ` (and ${excluded.length - 1} more)`
    throw new CommandFailure(
      `Line ${fault.line}: ${fault.column ?? 'the row'} ${fault.detail}${more}. Nothing was sent, because a member whose row is wrong would be removed. Fix the file: "members import FILE.csv --dry-run" lists all such rows.`,
      { code: 'csv' },
    )
  }
  if (rows.length === 0)
    throw new CommandFailure('The file has no rows, so everyone would be removed. Nothing was sent.', {
      code: 'csv',
    })
  const { maxRemovals, permanent } = flags
  const plan = await members.plan(
    rows.map(({ member }) => member),
    { maxRemovals, remove: permanent ? 'permanent' : 'deactivate' },
  )
  return plan.toJSON()
}

const removalsOf = ({ changes }: RosterPlanJson) => changes.filter(({ action }) => action === 'remove').length

const isPermanent = ({ remove }: RosterPlanJson) => remove === 'permanent'

function checkRemovals(plan: RosterPlanJson): void {
  const removals = removalsOf(plan)
  if (removals > plan.maxRemovals)
    throw new CommandFailure(
      `${removals} members would be ${isPermanent(plan) ? 'deleted permanently' : 'removed'}, and --max-removals is ${plan.maxRemovals}. Nothing was sent. See who they are with --plan. If this is right, add --max-removals ${removals}.`,
      { code: 'max_removals' },
    )
}

const signs = {
  add: { sign: '+', style: 'green' },
  reactivate: { sign: '~', style: 'yellow' },
  remove: { sign: '-', style: 'red' },
} as const

function isChange(value: unknown): boolean {
  if (!isJsonObject(value) || !Object.hasOwn(signs, String(value.action))) return false
  const person = value.action === 'add' ? value.desired : value.member
  return isJsonObject(person) && typeof person.email === 'string'
}

function lineOf(change: RosterChange, plan: RosterPlanJson): readonly (string | Styled)[] {
  const { sign, style } = signs[change.action]
  const { email, first_name, last_name, role } = change.action === 'add' ? change.desired : change.member
  const name = [first_name, last_name].filter(Boolean).join(' ')
  const details = [
    name,
    role !== undefined && role !== 'member' && role,
    change.action === 'reactivate' && 'reactivate',
    change.action === 'remove' && isPermanent(plan) && deletion,
  ]
  return [styled(style, `${sign} ${email}`), ...details.filter(Boolean).map((detail) => `  ${detail}`)]
}

const deletion = 'delete permanently'

function printPlan(shell: Shell, plan: RosterPlanJson): void {
  if (shell.json) {
    shell.printJson(plan)
    return
  }
  const { changes, unchanged, conflicts } = plan
  for (const change of changes) shell.print(...lineOf(change, plan))
  const effects = { add: 'add', reactivate: 'reactivate', remove: isPermanent(plan) ? deletion : 'remove' }
  const counts = Object.entries(effects).map(
    ([action, effect]) => `${changes.filter((change) => change.action === action).length} to ${effect}`,
  )
  shell.log([...counts, `${unchanged.length} unchanged`, `${conflicts.length} conflicts`].join(', '))
  shell.log('Nothing was sent.')
  if (changes.length === 0) return
  const removals = removalsOf(plan)
  const limit = removals > plan.maxRemovals ? ['--max-removals', String(removals)] : []
  const args = shell.args.map((arg) => (arg === '--plan' ? '--apply' : arg))
  shell.log(`To make these changes, run: ${toCommandLine([...args, ...limit])}`)
}

interface ApplySettings {
  readonly plan: RosterPlanJson
  readonly journal: FileJournal | undefined
}

async function apply(shell: Shell, members: Members, { plan, journal }: ApplySettings): Promise<void> {
  const bar = progressBar(shell, plan.changes.length)
  const controller = new AbortController()
  const removeListener = shell.context.onInterrupt(() => controller.abort())
  const applied: AppliedChange[] = []
  const applying = members.applyPlan(plan, {
    journal: journal?.store,
    signal: controller.signal,
  })
  try {
    for await (const one of applying) bar.show(applied.push(one))
    if (applied.some(({ error }) => error !== undefined)) shell.exit = 'service'
    else await journal?.remove()
  } finally {
    removeListener()
    bar.clear()
    report(shell, plan, applied)
  }
}

function report(shell: Shell, plan: RosterPlanJson, applied: readonly AppliedChange[]): void {
  const results = applied.map((one) => ({ ...one, outcome: outcomeOf(one) }))
  const counts = { done: 0, skipped: 0, failed: 0, pending: plan.changes.length - applied.length }
  for (const { outcome } of results) counts[outcome] += 1
  const left = counts.failed + counts.pending
  const resume = left === 0 ? {} : { resume_command: shell.commandLine }
  if (shell.json) {
    const rows = results.map(({ change, member, error, skipped, outcome }) => ({
      action: change.action,
      ...(change.action === 'remove' && isPermanent(plan) && { permanent: true }),
      email: (change.action === 'add' ? change.desired : change.member).email,
      outcome,
      ...(skipped && { reason: skipped }),
      ...(member && { member_id: member.member_id }),
      ...(error && { code: error.code, detail: toFailureReport(error).message }),
    }))
    shell.printJson({ summary: counts, ...resume, changes: rows })
    return
  }
  for (const { change, error, skipped, outcome } of results) {
    const reason = error === undefined ? skipped && skipReasons[skipped] : toFailureReport(error).message
    const detail = reason === undefined ? '' : `: ${reason}`
    shell.print(...lineOf(change, plan), ...(outcome === 'done' ? [] : [`  ${outcome}${detail}`]))
  }
  shell.log(
    Object.entries(counts)
      .map(([outcome, count]) => `${count} ${outcome}`)
      .join(', '),
  )
  if (left > 0) shell.log(`To make the changes that are left, run: ${shell.commandLine}`)
}

const skipReasons: Readonly<Record<NonNullable<AppliedChange['skipped']>, string>> = {
  done: 'an earlier run has made it',
  not_needed: 'the roster does not need it',
  duplicate: 'the person is a member already',
  other_email: 'the member has another email than the plan says. Make the plan again',
}

function outcomeOf({ error, skipped }: AppliedChange): 'done' | 'skipped' | 'failed' {
  if (error !== undefined) return 'failed'
  return skipped === undefined ? 'done' : 'skipped'
}

/** The journal of a saved plan: a store that has a file as its memory. */
interface FileJournal {
  readonly store: Store
  remove(): Promise<void>
}

async function openJournal(path: string): Promise<FileJournal> {
  const memory = memoryStore()
  const saved = parseJson((await readPrivate({ path }, { mustExist: false })) || '{}')
  if (!isJsonObject(saved)) throw new CommandFailure(`${path} is not the journal of a plan. Move the file.`)
  for (const [key, value] of Object.entries(saved)) await memory.set(key, String(value))
  const set: Store['set'] = async (key, value, options) => {
    await replaceFile({ path }, `${JSON.stringify({ [key]: value })}\n`)
    return await memory.set(key, value, options)
  }
  return { store: { ...memory, set }, remove: () => rm(path, { force: true }) }
}
