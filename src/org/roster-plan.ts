import {
  type Member,
  type MemberList,
  type MemberRole,
  member,
  type Organization,
} from '../contract/organization/member-results.ts'
import { type NewMember, newMember } from '../contract/organization/members.ts'
import { isJsonObject } from '../contract/schema/json-object.ts'
import type { Issue } from '../contract/schema/schema.ts'
import { InvalidParamsError, type ParamIssue } from '../errors/call-errors.ts'
import {
  joinRules,
  notBlank,
  type OptionRules,
  oneOfTexts,
  type Rule,
  wholeNumberWithin,
} from '../errors/options.ts'
import type { HttpClient } from '../http/http-client.ts'
import { checkCallOptions } from '../http/params/check-options.ts'
import type { BulkSource } from '../runtime/bulk.ts'
import { type BulkOptions, bulkOptionRules, read } from './bulk.ts'

/** Options of `members.plan`. */
export interface PlanOptions extends BulkOptions {
  /**
   * How many members the plan may remove. `applyPlan` rejects a plan that removes more, so that a file that is cut off
   * or wrong cannot empty the roster.
   *
   * @default 0
   */
  readonly maxRemovals?: number | undefined
  /** How members are removed: `deactivate` keeps their rows, `permanent` deletes them. @default 'deactivate' */
  readonly remove?: 'deactivate' | 'permanent' | undefined
  /** The roles, next to `member`, whose members the plan may remove. @default [] */
  readonly includeRoles?: readonly MemberRole[] | undefined
}

/** A member to add. */
export interface RosterAddition {
  /** The member is added. */
  readonly action: 'add'
  /** The row of the desired roster. */
  readonly desired: NewMember
}

/** A member to reactivate. */
export interface RosterReactivation {
  /** The member is reactivated. */
  readonly action: 'reactivate'
  /** The member, as listed when the plan was made. */
  readonly member: Member
}

/** A member to remove. */
export interface RosterRemoval {
  /** The member is removed, in the way that `remove` of the plan says. */
  readonly action: 'remove'
  /** The member, as listed when the plan was made. */
  readonly member: Member
}

/** One change of a plan. `action` discriminates the three. */
export type RosterChange = RosterAddition | RosterReactivation | RosterRemoval

/** A plan as JSON, to be reviewed, saved and applied later. It contains the personal data of the roster. */
export interface RosterPlanJson {
  /** Identifies the plan in a journal. */
  readonly id: string
  /** The organization whose roster was read. */
  readonly organization: Organization
  /** The number of rows that the plan was made from. */
  readonly rows: number
  /** How many members the plan may remove. */
  readonly maxRemovals: number
  /** How members are removed. */
  readonly remove: 'deactivate' | 'permanent'
  /** The roles, next to `member`, whose members the plan may remove. */
  readonly includeRoles: readonly MemberRole[]
  /** What is to be done: first additions, then reactivations, then removals. */
  readonly changes: readonly RosterChange[]
  /** The members who are in both rosters, and those that were listed without an email. */
  readonly unchanged: readonly Member[]
  /** The members who are not desired and are kept, because of their role. */
  readonly protected: readonly Member[]
  /** The rows with an email that another row has too. They change nothing. */
  readonly conflicts: readonly NewMember[]
}

/** What would make the roster the desired one. Nothing has been sent yet. */
export interface RosterPlan extends RosterPlanJson {
  /**
   * Returns the plan as JSON, for a review. `applyPlan` accepts it later, also in another process.
   *
   * @see docs/guides/sync-roster.md#apply-a-plan-later
   *
   * @example
   * const plan = await org.members.plan(people)
   * const { changes } = plan.toJSON()
   */
  toJSON(): RosterPlanJson
}

const anArray: Rule = { form: 'be an array', allows: Array.isArray }

const removals = ['deactivate', 'permanent'] as const

const optionRules = /* @__PURE__ */ joinRules(bulkOptionRules, {
  maxRemovals: /* @__PURE__ */ wholeNumberWithin({ from: 0 }),
  remove: /* @__PURE__ */ oneOfTexts(removals),
  includeRoles: anArray,
}) satisfies OptionRules<PlanOptions>

/** The parts of a plan, and what each must be. A saved plan is checked, because its file may have been edited. */
const parts: Readonly<Record<keyof RosterPlanJson, Rule>> = {
  id: notBlank,
  organization: { form: 'be an object', allows: isJsonObject },
  rows: /* @__PURE__ */ wholeNumberWithin({ from: 0 }),
  maxRemovals: /* @__PURE__ */ wholeNumberWithin({ from: 0 }),
  remove: /* @__PURE__ */ oneOfTexts(removals),
  includeRoles: anArray,
  changes: anArray,
  unchanged: anArray,
  protected: anArray,
  conflicts: anArray,
}

/** Returns what is wrong with a saved plan, or `undefined`. */
export function planIssue(plan: unknown): ParamIssue | undefined {
  if (!isJsonObject(plan)) return { path: 'plan', message: 'must be a plan, or its JSON' }
  for (const [name, { form, allows }] of Object.entries(parts))
    if (!allows(plan[name])) return { path: `plan.${name}`, message: `must ${form}` }
  for (const [index, change] of (plan.changes as readonly unknown[]).entries()) {
    const issue = changeIssue(change)
    if (issue)
      return { path: ['plan.changes', index, ...issue.path].map(String).join('.'), message: issue.message }
  }
  return undefined
}

function changeIssue(change: unknown): Pick<Issue, 'path' | 'message'> | undefined {
  const { action, desired, member: listed } = Object(change) as Readonly<Record<string, unknown>>
  if (action !== 'add' && action !== 'reactivate' && action !== 'remove')
    return { path: ['action'], message: `must be 'add', 'reactivate' or 'remove'` }
  const [name, schema, value] =
    action === 'add' ? (['desired', newMember, desired] as const) : (['member', member, listed] as const)
  const [issue] = schema.issues(value)
  return issue && { path: [name, ...issue.path], message: issue.message }
}

interface Roster {
  list(params?: undefined, options?: BulkOptions): PromiseLike<MemberList>
}

const operation = 'members.plan'

export async function plan(
  http: Pick<HttpClient, 'errorDetail'>,
  roster: Roster,
  desired: BulkSource<NewMember>,
  given: PlanOptions = {},
): Promise<RosterPlan> {
  checkCallOptions(given, operation, optionRules)
  const { maxRemovals = 0, remove = 'deactivate', includeRoles = [], ...options } = given
  const rows: NewMember[] = []
  for await (const row of read(desired, 'desired', { operation, signal: options.signal, ...http })) {
    const issues = newMember.issues(row)
    if (issues.length > 0) throw invalidRow(rows.length, issues)
    rows.push(row)
  }
  const { members, organization } = await roster.list(undefined, options)
  const json: RosterPlanJson = {
    id: crypto.randomUUID(),
    organization,
    rows: rows.length,
    maxRemovals,
    remove,
    includeRoles,
    ...compare(rows, members, includeRoles),
  }
  return { ...json, toJSON: () => json }
}

function invalidRow(index: number, issues: ReturnType<typeof newMember.issues>): InvalidParamsError {
  return new InvalidParamsError({
    operation,
    issues: issues.map(({ path, message }) => ({
      path: ['desired', index, ...path].map(String).join('.'),
      message,
    })),
  })
}

/** Emails are compared in lower case. Empty if a listed member has none, because responses are not rejected. */
export const emailKey = ({ email }: { readonly email?: unknown }): string =>
  typeof email === 'string' ? email.toLowerCase() : ''

export const isDeactivated = ({ status }: Member): boolean => status === 'deactivated'

/** Whether a plan may remove a member with this role. */
export const isRemovable = ({ role }: Member, includeRoles: readonly MemberRole[]): boolean =>
  role === 'member' || includeRoles.includes(role)

function compare(
  rows: readonly NewMember[],
  members: readonly Member[],
  includeRoles: readonly MemberRole[],
) {
  const rowsPerEmail = new Map<string, number>()
  for (const row of rows) rowsPerEmail.set(emailKey(row), (rowsPerEmail.get(emailKey(row)) ?? 0) + 1)
  const isConflict = (row: NewMember) => rowsPerEmail.get(emailKey(row)) !== 1
  const unchanged: Member[] = []
  const reactivated: Member[] = []
  const removed: Member[] = []
  const kept: Member[] = []
  const listed = new Set<string>()
  for (const one of members) {
    const email = emailKey(one)
    listed.add(email)
    if (isDeactivated(one)) {
      if (rowsPerEmail.get(email) === 1) reactivated.push(one)
    } else if (email === '' || rowsPerEmail.has(email)) unchanged.push(one)
    else if (isRemovable(one, includeRoles)) removed.push(one)
    else kept.push(one)
  }
  const added = rows.filter((row) => !isConflict(row) && !listed.has(emailKey(row)))
  const changes: RosterChange[] = [
    ...added.map((desired) => ({ action: 'add', desired }) as const),
    ...reactivated.map((member) => ({ action: 'reactivate', member }) as const),
    ...removed.map((member) => ({ action: 'remove', member }) as const),
  ]
  return { changes, unchanged, protected: kept, conflicts: rows.filter(isConflict) }
}
