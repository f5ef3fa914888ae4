import { existsSync } from 'node:fs'
import { lstat, rename } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type { InviteMethod, Members, NewMember, RosterChange, RosterPlanJson } from 'identity-service-sdk'
import { comparableEmail } from '../../contract/organization/email.ts'
import { inviteMethods } from '../../contract/organization/roles.ts'
import { isJsonObject } from '../../contract/schema/schema.ts'
import { parseJson } from '../../runtime/bytes.ts'
import { subcommand, wholeNumberArgument } from '../command.ts'
import { readSettings, type SettingsOptions } from '../env-settings.ts'
import { printedJson } from '../escape.ts'
import { CommandFailure, reasonOf } from '../failure.ts'
import { claimOutput, type OutputFile, writeOutput } from '../files/private-file.ts'
import { readInput } from '../files/read-input.ts'
import { type Shell, toCommandLine } from '../shell.ts'
import { apply, lostLinkHelp } from './apply.ts'
import { lineOf, signs } from './change-line.ts'
import { csvNote } from './csv.ts'
import { createOrgClient } from './org-client.ts'
import { type InvalidRow, readRows } from './rows.ts'

interface SyncFlags extends SettingsOptions {
  readonly apply?: boolean
  readonly remove?: 'deactivate' | 'permanent'
  readonly maxRemovals?: number
  readonly invite: InviteMethod
  readonly notify: boolean
  readonly out?: string
  readonly force?: boolean
}

export function addSync(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'sync',
    summary: 'add the people in a CSV file, reactivate who is back, and remove members who have left',
    examples: [
      'members sync people.csv',
      'members sync people.csv --apply',
      'members sync people.csv --apply --max-removals 15',
      'members sync people.csv --max-removals 15 --out plan.json',
      'members sync plan.json --apply --out outcome.csv',
    ],
    notes: `Without --apply, the command prints a plan, and changes nothing. With --out, it writes the plan as JSON to
a file, which can be reviewed and applied later. Its own limit of removals holds, unless --max-removals
sets another one. Once all its changes are made, PLAN.json is renamed to PLAN.json.applied, because
applying it again would undo what was changed by hand since then.

Without --max-removals, nobody is removed: members who are not in the file are kept. With it, the plan
removes all of them, and --apply changes nothing if they are more. Only members with the role "member"
are removed, because the service lists no others. Names and roles of members are never changed.

If an addition or a reactivation fails, nobody is removed until it succeeds, because the person can be
one who would be removed under another spelling of the email.

The first line of the CSV file names the columns: email, and optionally first_name, last_name, role,
status. Other columns are ignored. A row with the status "deactivated" asks for nobody, so that an
export that was not edited changes nothing. Nothing is changed if a row is invalid or occurs twice, or
if the file has no rows. Each row that the service does not list is looked up with one request, four at a time: a
first import of 5,000 people sends 5,000 of them.

After Ctrl-C, a failure or a crash, run the same command again: it reads the roster, and makes the
changes that are left. Ctrl-C waits for the current call, and a second Ctrl-C does not.

With --no-notify, the report of --apply contains the links of face invites. Anyone who has a link can
activate that member. The links are in no other place: write them to a file with --out. A report is CSV,
and JSON with --json. If the response to a call was lost, so were its links: the page "sync-roster" of the
documentation says how to get new ones.
${csvNote}`,
  })
    .argument('<file>', 'CSV in UTF-8, separated by commas, semicolons or tabs; or a saved plan')
    .option('--apply', 'make the changes')
    .addOption(
      new Option('--max-removals <n>', 'how many members may be removed (default: 0)').argParser(
        wholeNumberArgument('--max-removals', 0, 1_000_000),
      ),
    )
    .addOption(
      new Option(
        '--remove <how>',
        'deactivate members, which keeps their rows, or delete the rows (default: deactivate)',
      ).choices(['deactivate', 'permanent']),
    )
    .addOption(new Option('--invite <method>', 'how new members are invited').choices(inviteMethods).default('auto'))
    .option('--notify', 'email the invites', true)
    .option('--no-notify', 'do not email the invites: write the links to the report')
    .option('--out <file>', 'write the plan or the report to a file that only you can read, instead of stdout')
    .option('--force', 'overwrite the file of --out if it exists')
    .action((file: string, flags: SyncFlags) => syncMembers(shell, file, flags))
}

async function syncMembers(shell: Shell, file: string, flags: SyncFlags): Promise<void> {
  const { notify, invite, force = false } = flags
  const out = flags.out === undefined ? undefined : { path: flags.out, option: '--out' }
  const bytes = await readFileOrPlan(shell, file)
  const saved = savedPlanIn(bytes, flags)
  const rows = saved === undefined ? validRows(shell, bytes) : []
  // Fails before anything is sent if the file cannot be written.
  if (out !== undefined) await claimOutput(out, { overwrite: force })
  if (saved !== undefined && !flags.apply)
    return await printPlan(shell, flags, { plan: saved, out, notes: [...conflictNotes(saved), ...limitsOf(saved, [])] })
  const { members } = createOrgClient(shell, await readSettings(shell, flags))
  const { plan, kept } = saved === undefined ? await makePlan(members, rows, flags) : { plan: saved, kept: 0 }
  const keptNotes =
    kept === 0
      ? []
      : [`Members who are not in the file, and are kept: ${kept}. To remove them, add --max-removals ${kept}.`]
  const notes = [...keptNotes, ...conflictNotes(plan), ...linkNotes(plan, flags)]
  if (!flags.apply) return await printPlan(shell, flags, { plan, out, notes: [...notes, ...limitsOf(plan, rows)] })
  checkRemovals(plan)
  const isComplete = await apply(shell, members, { plan, notify, invite, out })
  for (const note of notes) shell.log(note)
  if (isComplete && saved !== undefined) await retire(shell, file)
}

/** Other conflicts are invalid rows, with which there is no plan. */
const conflictNotes = ({ conflicts }: RosterPlanJson): string[] =>
  conflicts.length === 0
    ? []
    : [
        `Rows with the status deactivated whose member has another one: ${conflicts.length}. They change nothing. To remove a member, delete the row.`,
      ]

/** Returns a note about people who cannot activate themselves, if their link was lost with a response. */
function linkNotes({ unchanged }: RosterPlanJson, { notify }: SyncFlags): string[] {
  const waiting = unchanged.filter(({ status }) => status === 'link_sent').length
  if (notify || waiting === 0) return []
  return [`Members who have not used the link of an earlier run: ${waiting}. ${lostLinkHelp}`]
}

const appliedName = (file: string) => `${file}.applied`

async function readFileOrPlan(shell: Shell, file: string): Promise<Buffer> {
  try {
    return await readInput(shell, file, { maxMiB: 64 })
  } catch (error) {
    if (!(error instanceof CommandFailure && error.code === 'ENOENT' && existsSync(appliedName(file)))) throw error
    throw new CommandFailure(
      `${file} was applied already, and is now ${appliedName(file)}. Make a new plan from the CSV file.`,
      { code: 'applied' },
    )
  }
}

/** Renames a plan whose changes are made, so that a second run cannot undo what was changed by hand since then. */
async function retire(shell: Shell, file: string): Promise<void> {
  const found = await lstat(file).catch(() => undefined)
  // Such as /dev/stdin, the pipe of a shell, or the link of a volume.
  if (file === '-' || found?.isFile() === false)
    return shell.log(
      'The plan is done. It is not a regular file, so it was not renamed. Do not apply it again: that would undo what is changed by hand from now on.',
    )
  try {
    await rename(file, appliedName(file))
    shell.log(`The plan is done, and is now ${appliedName(file)}.`)
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === 'ENOENT')
      return shell.log(
        `The plan is done, and its file is gone: another run has probably renamed it to ${appliedName(file)}.`,
      )
    shell.log(
      `The plan is done, but could not be renamed to ${appliedName(file)} (${reason}). Delete it: applying it again would undo what is changed by hand from now on.`,
    )
  }
}

/**
 * Returns the plan in a file. `undefined`: the file is something else, such as CSV. What is printed of it is checked
 * here, and the rest by `applyPlan`.
 */
function savedPlanIn(bytes: Uint8Array, { maxRemovals, remove }: SyncFlags): RosterPlanJson | undefined {
  const value = parseJson(new TextDecoder().decode(bytes))
  if (!isJsonObject(value)) return undefined
  const { changes, unchanged, conflicts } = value
  const areLists = [changes, unchanged, conflicts].every(Array.isArray)
  if (!areLists || !(changes as readonly unknown[]).every(isChange))
    throw new CommandFailure('The file is JSON, but not a plan of "members sync". Make the plan again.', {
      code: 'plan',
    })
  if (remove !== undefined)
    throw new CommandFailure('--remove is a part of a saved plan. Make the plan again with it, from the CSV file.')
  const saved = value as unknown as RosterPlanJson
  return { ...saved, maxRemovals: maxRemovals ?? saved.maxRemovals }
}

function isChange(value: unknown): boolean {
  if (!isJsonObject(value) || !Object.hasOwn(signs, String(value.action))) return false
  const person = value.action === 'add' ? value.desired : value.member
  return isJsonObject(person) && typeof person.email === 'string'
}

/** So many invalid rows are listed. */
const maxListed = 20

/** @throws {CommandFailure} a row is invalid, or there is none */
function validRows(shell: Shell, bytes: Uint8Array): readonly NewMember[] {
  const { rows, invalid, ignoredColumns } = readRows(bytes)
  if (ignoredColumns.length > 0) shell.log(`Ignored columns: ${ignoredColumns.join(', ')}`)
  if (invalid.length > 0) throw invalidRows(shell, invalid)
  if (rows.length > 0) return rows
  throw new CommandFailure(
    'The file has no rows. Nothing was changed, because all members would count as people who have left.',
    { code: 'csv' },
  )
}

function invalidRows(shell: Shell, invalid: readonly InvalidRow[]): CommandFailure {
  const lines = invalid
    .slice(0, maxListed)
    .map(({ line, column, detail }) => `Line ${line}: ${column ?? 'the row'} ${detail}.`)
  if (invalid.length > maxListed) lines.push(`More invalid rows: ${invalid.length - maxListed}.`)
  const advice = `Invalid rows: ${invalid.length}. Nothing was changed, because a member whose row is wrong would count as a person who has left. Fix the file, then run the command again.`
  // The message of an error is one line, on which a list is hard to read.
  if (!shell.json) for (const line of lines) shell.log(line)
  return new CommandFailure(shell.json ? [...lines, advice].join(' ') : advice, { code: 'csv' })
}

interface Made {
  readonly plan: RosterPlanJson
  /** How many members are kept although they are not in the file. */
  readonly kept: number
}

async function makePlan(
  members: Members,
  rows: readonly NewMember[],
  { maxRemovals = 0, remove }: SyncFlags,
): Promise<Made> {
  const plan = (await members.plan(rows, { maxRemovals, remove })).toJSON()
  if (maxRemovals > 0) return { plan, kept: 0 }
  const kept = plan.changes.flatMap((change) => (change.action === 'remove' ? change.member : []))
  const changes = plan.changes.filter(({ action }) => action !== 'remove')
  return { plan: { ...plan, changes, unchanged: [...plan.unchanged, ...kept] }, kept: kept.length }
}

const comparedFields = ['first_name', 'last_name', 'role'] as const

/** Returns what a reader of the plan could expect, and the service cannot do. */
function limitsOf({ changes, unchanged, maxRemovals }: RosterPlanJson, rows: readonly NewMember[]): string[] {
  const reactivated = changes.flatMap((change) => (change.action === 'reactivate' ? change.member : []))
  const members = new Map([...unchanged, ...reactivated].map((one) => [comparableEmail(one.email ?? ''), one]))
  const different = rows.filter((row) => {
    const member = members.get(comparableEmail(row.email))
    return member && comparedFields.some((field) => row[field] !== undefined && row[field] !== member[field])
  })
  return [
    ...(different.length > 0
      ? [`Rows with another name or role than the roster: ${different.length}. Neither is ever changed.`]
      : []),
    ...(maxRemovals > 0
      ? [
          'Owners, admins and developers who are not in the file are not listed by the service, so none of them is removed.',
        ]
      : []),
  ]
}

const count = ({ changes }: RosterPlanJson, action: RosterChange['action']) =>
  changes.filter((change) => change.action === action).length

const isPermanent = ({ remove }: RosterPlanJson) => remove === 'permanent'

/** Returns why a plan is not applied, if it removes more members than it may. */
function refusalOf(plan: RosterPlanJson): string | undefined {
  const removals = count(plan, 'remove')
  return removals > plan.maxRemovals
    ? `${removals} members would be ${isPermanent(plan) ? 'deleted permanently' : 'removed'}, and --max-removals is ${plan.maxRemovals}. If all of them are to go, set --max-removals ${removals}.`
    : undefined
}

function checkRemovals(plan: RosterPlanJson): void {
  const refusal = refusalOf(plan)
  if (refusal !== undefined)
    throw new CommandFailure(`Nothing was changed: ${refusal} See who they are without --apply.`, {
      code: 'max_removals',
    })
}

interface Printed {
  readonly plan: RosterPlanJson
  readonly out: OutputFile | undefined
  readonly notes: readonly string[]
}

async function printPlan(shell: Shell, flags: SyncFlags, { plan, out, notes }: Printed): Promise<void> {
  const { changes, unchanged, conflicts } = plan
  const summary = {
    add: count(plan, 'add'),
    reactivate: count(plan, 'reactivate'),
    remove: count(plan, 'remove'),
    unchanged: unchanged.length,
    conflicts: conflicts.length,
  }
  if (out !== undefined) await writeOutput(out, [printedJson(plan, 2)])
  if (shell.json) shell.printJson(out === undefined ? plan : { file: out.path, ...summary })
  else {
    if (out === undefined) for (const change of changes) shell.print(...lineOf(change, plan))
    shell.log(
      `${summary.add} to add, ${summary.reactivate} to reactivate, ${summary.remove} to ${isPermanent(plan) ? 'delete permanently' : 'remove'}, ${summary.unchanged} unchanged, ${summary.conflicts} conflicts`,
    )
    if (out !== undefined) shell.log(`Plan: ${out.path}`)
    shell.log('Nothing was changed.')
  }
  for (const note of notes) shell.log(note)
  const refusal = refusalOf(plan)
  if (refusal !== undefined) {
    shell.exit = 'negative'
    // Without a command to paste, because the limit protects against removals that were not reviewed.
    shell.log(`These changes would be refused: ${refusal}`)
  }
  if (shell.json || changes.length === 0 || refusal !== undefined) return
  if (summary.add > 0 && flags.notify) shell.log('The people to add get an email, unless you add --no-notify.')
  const args = out === undefined ? shell.args : ['members', 'sync', out.path, ...carriedBy(flags)]
  shell.log(`To make these changes, run: ${toCommandLine([...args, '--apply'])}`)
}

/** The arguments that apply a saved plan in the way that was chosen when it was made. */
const carriedBy = ({ envFrom, invite, notify }: SyncFlags): readonly string[] => [
  ...(envFrom === undefined ? [] : ['--env-from', envFrom]),
  ...(invite === 'auto' ? [] : ['--invite', invite]),
  ...(notify ? [] : ['--no-notify']),
]
