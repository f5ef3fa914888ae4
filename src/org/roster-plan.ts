import type { BulkSource } from '../bulk/bulk.ts'
import { inParallel } from '../bulk/in-parallel.ts'
import { addressesIn, asciiEmail, comparableEmail, isBareEmail, plainEmail } from '../contract/organization/email.ts'
import {
  type Member,
  type MemberList,
  member,
  memberStatuses,
  type Organization,
  type ResolvedMember,
  readableLookup,
  readableRoster,
} from '../contract/organization/member-results.ts'
import { type NewMember, newMember, type ResolveParams } from '../contract/organization/members.ts'
import { type Issue, isJsonObject } from '../contract/schema/schema.ts'
import { NotFoundError } from '../errors/api-errors.ts'
import { InvalidParamsError, type ParamIssue } from '../errors/call-errors.ts'
import { requireShape } from '../http/exchange/required-shape.ts'
import type { HttpClient } from '../http/http-client.ts'
import { checkCallOptions } from '../http/params/params.ts'
import { oneOfTexts, type Rule, wholeNumberWithin } from '../options/rules.ts'
import { type BulkOptions, bulkOptionRules, read, throwIfAborted } from './bulk.ts'

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
}

// A type alias, because a program that exports what it infers cannot name an interface that no entry exports.
/** A row of a desired roster: a person to add, or a member of `list`. Other fields of a row are ignored. */
export type DesiredMember = Pick<NewMember, 'email' | 'role'> &
  Partial<Pick<Member, 'first_name' | 'last_name'>> & {
    /** If it is `deactivated`, the row asks for nobody. One that no member has makes the row a conflict. */
    readonly status?: string | null | undefined
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
  /** The member when the plan was made. The role can be any. */
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
  /** The organization whose roster was read. */
  readonly organization: Organization
  /** The number of rows that the plan was made from, without those whose status is `deactivated`. */
  readonly rows: number
  /** How many members the plan may remove. */
  readonly maxRemovals: number
  /** How members are removed. */
  readonly remove: 'deactivate' | 'permanent'
  /** What is to be done: first additions, then reactivations, then removals. */
  readonly changes: readonly RosterChange[]
  /**
   * The members of any role who are in both rosters, and those that were listed without an email or with another role.
   */
  readonly unchanged: readonly Member[]
  /**
   * The rows with an email that another row has too, or that is not one bare address, those whose status is
   * `deactivated`, although the member has another one, and those with a status that no member has. They change nothing,
   * and the member that they name, or look like, is kept. If one has no address at all, nobody is removed.
   */
  readonly conflicts: readonly NewMember[]
}

/** What would make the roster the desired one. Nothing has been sent yet. */
export interface RosterPlan extends RosterPlanJson {
  /**
   * Returns the plan as JSON, for a review. `applyPlan` accepts it later, also in another process.
   *
   * @see docs/guides/sync-roster.md
   *
   * @example
   * const plan = await org.members.plan(people)
   * const { changes } = plan.toJSON()
   */
  toJSON(): RosterPlanJson
}

const anArray: Rule = { form: 'be an array', allows: Array.isArray }

const removals = ['deactivate', 'permanent'] as const

/** The parts of a plan, and what each must be. A saved plan is checked, because its file may have been edited. */
const parts: Readonly<Record<keyof RosterPlanJson, Rule>> = {
  organization: { form: 'be an object', allows: isJsonObject },
  rows: /* @__PURE__ */ wholeNumberWithin({ from: 0 }),
  maxRemovals: /* @__PURE__ */ wholeNumberWithin({ from: 0 }),
  remove: /* @__PURE__ */ oneOfTexts(removals),
  changes: anArray,
  unchanged: anArray,
  conflicts: anArray,
}

/** Returns what is wrong with a saved plan, or `undefined`. */
export function planIssue(plan: unknown): ParamIssue | undefined {
  if (!isJsonObject(plan)) return { path: 'plan', message: 'must be a plan, or its JSON' }
  for (const [name, { form, allows }] of Object.entries(parts))
    if (!allows(plan[name])) return { path: `plan.${name}`, message: `must ${form}` }
  for (const [index, change] of (plan.changes as readonly unknown[]).entries()) {
    const issue = changeIssue(change)
    if (issue) return { path: ['plan.changes', index, ...issue.path].map(String).join('.'), message: issue.message }
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

/** What reads the roster. */
export interface RosterReader {
  list(params?: undefined, options?: BulkOptions): PromiseLike<MemberList>
  resolve(params: ResolveParams, options?: BulkOptions): PromiseLike<ResolvedMember>
}

const operation = 'members.plan'

/** @throws {InvalidResponseError} the response has no list of members */
export const readRoster = async (roster: Pick<RosterReader, 'list'>, options: BulkOptions): Promise<MemberList> =>
  requireShape('members.list', await roster.list(undefined, options), readableRoster)

export async function plan(
  http: Pick<HttpClient, 'errorDetail'>,
  roster: RosterReader,
  desired: BulkSource<DesiredMember>,
  planOptions: PlanOptions = {},
): Promise<RosterPlan> {
  checkCallOptions(planOptions, operation, {
    ...bulkOptionRules,
    maxRemovals: wholeNumberWithin({ from: 0 }),
    remove: oneOfTexts(removals),
  })
  const { maxRemovals = 0, remove = 'deactivate', ...options } = planOptions
  const reading = { operation, signal: options.signal, ...http }
  const rows: NewMember[] = []
  const inactive = new Set<NewMember>()
  const foreign = new Set<NewMember>()
  for await (const input of read(desired, 'desired', reading)) {
    const row = toRow(input)
    const issues = newMember.issues(row)
    if (issues.length > 0) throw invalidRow(rows.length, issues)
    rows.push(row)
    const status = statusOf(input)
    if (status === 'deactivated') inactive.add(row)
    // A leaver under a status of another system must not become a member.
    else if (status !== '' && !memberStatuses.some((known) => known === status)) foreign.add(row)
  }
  const { members, organization } = await readRoster(roster, options)
  const comparison = compare(rows, { inactive, foreign }, members)
  const resolved = await lookUp(roster, comparison.unlisted, options)
  // A lookup that an abort has prevented must not make its person a new member.
  throwIfAborted(reading)
  const json: RosterPlanJson = {
    organization,
    rows: rows.length - inactive.size,
    maxRemovals,
    remove,
    ...changesOf(comparison, resolved),
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

/** Returns a row in the form in which it is looked up and added. An invalid value is kept, and rejected later. */
function toRow(input: DesiredMember): NewMember {
  const { email, first_name, last_name, role } = Object(input) as DesiredMember
  const fields = { email: typeof email === 'string' ? plainEmail(email) : email, first_name, last_name, role }
  const given = Object.entries(fields).filter(([, value]) => (value ?? null) !== null)
  return Object.fromEntries(given) as unknown as NewMember
}

/** The form in which emails are compared. Empty if a listed member has none, because responses are not rejected. */
export const emailKey = ({ email }: { readonly email?: unknown }): string =>
  typeof email === 'string' ? comparableEmail(email) : ''

/** The status of a row, as a spreadsheet may spell it. Empty without one. */
const statusOf = ({ status }: { readonly status?: unknown }): string =>
  String(status ?? '')
    .trim()
    .toLowerCase()

export const isDeactivated = ({ status }: { readonly status?: unknown }): boolean => status === 'deactivated'

/** So many lookups run at once. */
const concurrency = 4

/**
 * Looks up people by email, because the list contains members with the role `member` only. Returns those who are in the
 * roster, by the object that was passed.
 */
export async function lookUp<Person extends { readonly email: string }>(
  roster: Pick<RosterReader, 'resolve'>,
  people: readonly Person[],
  options: BulkOptions,
): Promise<ReadonlyMap<Person, Member>> {
  const found = new Map<Person, Member>()
  const resolve = async (email: string) => {
    try {
      return requireShape('members.resolve', await roster.resolve({ email }, options), readableLookup).member
    } catch (error) {
      if (error instanceof NotFoundError) return undefined
      throw error
    }
  }
  const work = async (person: Person) => {
    try {
      const { email } = person
      const ascii = asciiEmail(email)
      // The service may compare spellings, and not mailboxes.
      const member = (await resolve(email)) ?? (ascii === email ? undefined : await resolve(ascii))
      return { person, member }
    } catch (error) {
      return { person, failure: { error } }
    }
  }
  for await (const one of inParallel(people, { concurrency, signal: options.signal, work })) {
    if (one.failure) throw one.failure.error
    if (one.member) found.set(one.person, one.member)
  }
  return found
}

/** Rows that ask for nobody: because of their status, or because it is not one of a member. */
interface Unwanted {
  readonly inactive: ReadonlySet<NewMember>
  readonly foreign: ReadonlySet<NewMember>
}

/** False for half a domain too, as a cell that was cut has. */
const isAddress = (email: string) => isBareEmail(email) && email.slice(email.indexOf('@') + 1).includes('.')

/** Compares the desired rows with the members that are listed. */
function compare(rows: readonly NewMember[], { inactive, foreign }: Unwanted, members: readonly Member[]) {
  const rowsPerEmail = new Map<string, number>()
  for (const row of rows) rowsPerEmail.set(emailKey(row), (rowsPerEmail.get(emailKey(row)) ?? 0) + 1)
  const listed = new Set(members.map(emailKey))
  const isKnown = (row: NewMember) => isBareEmail(row.email) && listed.has(emailKey(row))
  const unclear = new Set(
    rows.filter((row) => rowsPerEmail.get(emailKey(row)) !== 1 || !(isAddress(row.email) || isKnown(row))),
  )
  // Not the member of the row, but perhaps the person who is meant.
  const lookAlikes = new Set([...unclear].flatMap(({ email }) => addressesIn(email)))
  const wanted = rows.filter((row) => ![unclear, inactive, foreign].some((rows) => rows.has(row)))
  const wantedEmails = new Set(wanted.map(emailKey))
  // A row without an address, such as one with `#N/A` or half a domain, can be that of anyone who seems to have left.
  const isSomebodyUnknown = [...unclear].some(
    ({ email }) => !addressesIn(email).some((one) => listed.has(one) || isAddress(one)),
  )
  const active = new Set(members.filter((one) => !isDeactivated(one)).map(emailKey))
  const unchanged: Member[] = []
  const deactivated = new Map<string, Member>()
  const removed: Member[] = []
  for (const one of members) {
    const email = emailKey(one)
    if (isDeactivated(one)) {
      // One person can be listed under two spellings.
      if (wantedEmails.has(email) && !active.has(email)) deactivated.set(email, one)
    } else if (email === '' || rowsPerEmail.has(email) || lookAlikes.has(email) || one.role !== 'member')
      unchanged.push(one)
    else (isSomebodyUnknown ? unchanged : removed).push(one)
  }
  return {
    unchanged,
    deactivated: [...deactivated.values()],
    removed,
    unlisted: wanted.filter((row) => !listed.has(emailKey(row))),
    conflicts: rows.filter(
      (row) => unclear.has(row) || foreign.has(row) || (inactive.has(row) && active.has(emailKey(row))),
    ),
  }
}

/** Returns the parts of a plan. @param resolved who of the rows that are not listed is in the roster all the same */
function changesOf(
  { unchanged, deactivated, removed, unlisted, conflicts }: ReturnType<typeof compare>,
  resolved: ReadonlyMap<NewMember, Member>,
) {
  const others = unlisted.flatMap((row) => resolved.get(row) ?? [])
  const changes: RosterChange[] = [
    ...unlisted.filter((row) => !resolved.has(row)).map((desired) => ({ action: 'add', desired }) as const),
    ...[...deactivated, ...others.filter(isDeactivated)].map((member) => ({ action: 'reactivate', member }) as const),
    ...removed.map((member) => ({ action: 'remove', member }) as const),
  ]
  return {
    changes,
    unchanged: [...unchanged, ...others.filter((member) => !isDeactivated(member))],
    conflicts,
  }
}
