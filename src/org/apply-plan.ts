import { type Bulk, type BulkFailure, bulk } from '../bulk/bulk.ts'
import type { AddedMember, AddResult, Member, RemoveResult } from '../contract/organization/member-results.ts'
import type { AddParams, MemberRef, NewMember, RemoveParams } from '../contract/organization/members.ts'
import { membersPerCall } from '../contract/organization/roles.ts'
import { type AnySdkError, isSdkError } from '../errors/any-sdk-error.ts'
import { ApiError } from '../errors/api-errors.ts'
import { AbortedError, InvalidParamsError, InvalidResponseError, invalidParam } from '../errors/call-errors.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import type { HttpClient } from '../http/http-client.ts'
import { checkCallOptions } from '../http/params/params.ts'
import { aFunction } from '../options/rules.ts'
import { readAddResult } from './add-all.ts'
import { type BulkOptions, bulkOptionRules, throwIfAborted } from './bulk.ts'
import { leftOut, type RejectedFields, splitRejected } from './rejected-members.ts'
import {
  emailKey,
  isDeactivated,
  lookUp,
  planIssue,
  type RosterAddition,
  type RosterChange,
  type RosterPlan,
  type RosterPlanJson,
  type RosterReader,
  readRoster,
} from './roster-plan.ts'

/** Options of `members.applyPlan`. */
export interface ApplyPlanOptions extends Pick<AddParams, 'notify' | 'invite'>, BulkOptions {
  /** Called with the totals so far after each change. An error that it throws is logged, and has no other effect. */
  readonly onProgress?: ((progress: ApplyPlanSummary) => void) | undefined
}

/** The totals of `applyPlan`, counted in changes. They contain no activation links: those are in the items. */
export interface ApplyPlanSummary {
  /** Members that were added. */
  readonly added: number
  /** Members that were reactivated. */
  readonly reactivated: number
  /** Members that were removed. */
  readonly removed: number
  /** Changes that needed nothing. `skipped` of their items says why. */
  readonly skipped: number
  /** Removals that were not made, because an addition or reactivation failed. */
  readonly kept: number
  /** Changes that failed. */
  readonly failed: number
  /** Each change that failed, with the error. If its `mayHaveArrived` is true, the change may have been made. */
  readonly failures: readonly BulkFailure<RosterChange, AnySdkError>[]
}

/** The outcome of one change of a plan. */
export interface AppliedChange {
  /** The change of the plan. */
  readonly change: RosterChange
  /**
   * The member after the change. Missing if the change was not made, and `null` if the row was deleted. After an addition
   * it has the `activation_link`.
   */
  readonly member?: AddedMember | Member | null | undefined
  /**
   * Why the change was skipped. Missing if it was not.
   *
   * - `not_needed`: the roster does not need it any more.
   * - `duplicate`: the service reported that the person is a member already.
   * - `not_found`: no member has the `member_id`, so nobody was reactivated or removed.
   * - `other_email`: the member has another email than the plan says, so the plan may name another person.
   */
  readonly skipped?: 'not_needed' | 'duplicate' | 'not_found' | 'other_email' | undefined
  /** True if the removal was not made, because an addition or reactivation failed. */
  readonly kept?: true | undefined
  /** Why the change failed. If `mayHaveArrived` is true, it may have been made. */
  readonly error?: AnySdkError | undefined
  /** What is wrong with the fields of the row, if the service named them. */
  readonly rejectedFields?: RejectedFields | undefined
}

const operation = 'members.applyPlan'

/** After so many failed calls in a row, the others are not sent, because they would probably fail too. */
const maxConsecutiveFailures = 3

interface RosterWriter extends RosterReader {
  add(params: AddParams, options?: BulkOptions): PromiseLike<AddResult>
  reactivate(id: MemberRef, options?: BulkOptions): PromiseLike<Member>
  remove(id: MemberRef, params?: RemoveParams, options?: BulkOptions): PromiseLike<RemoveResult>
}

type ChangeOutcome = Omit<AppliedChange, 'change'>
type SkipReason = AppliedChange['skipped']

const totalOf = { add: 'added', reactivate: 'reactivated', remove: 'removed' } as const

export function applyPlan(
  http: Pick<HttpClient, 'callHook' | 'logger' | 'errorDetail'>,
  roster: RosterWriter,
  plan: RosterPlan | RosterPlanJson,
  applyOptions: ApplyPlanOptions = {},
): Bulk<AppliedChange, ApplyPlanSummary> {
  const { onProgress, notify, invite, ...options } = applyOptions ?? {}
  const failures: BulkFailure<RosterChange, AnySdkError>[] = []
  const totals = { added: 0, reactivated: 0, removed: 0, skipped: 0, kept: 0, failed: 0, failures }
  const count = ({ change, error, skipped, kept }: AppliedChange) => {
    if (error !== undefined) totals.failed = failures.push({ item: change, error })
    else if (skipped !== undefined) totals.skipped += 1
    else if (kept) totals.kept += 1
    else totals[totalOf[change.action]] += 1
    http.callHook('onProgress', () => onProgress?.({ ...totals }))
  }
  async function* run(): AsyncGenerator<AppliedChange, void, undefined> {
    checkCallOptions(applyOptions, operation, {
      ...bulkOptionRules,
      notify: true,
      invite: true,
      onProgress: aFunction,
    })
    checkPlan(plan)
    // The roster is read again, because the plan may be old: what is done already is skipped, so a plan can be
    // repeated.
    const skip = await skippedBy(plan, roster, options)
    throwIfAborted({ operation, signal: options.signal, ...http })
    const calls = new Calls(roster, { plan, params: { notify, invite }, options })
    const withoutCall = (change: RosterChange): ChangeOutcome | undefined => {
      const skipped = skip(change)
      if (skipped !== undefined) return { skipped }
      // The person who failed can be the one who would be removed under another spelling of the email.
      const isKept = change.action === 'remove' && failures.some(({ item }) => item.action !== 'remove')
      return isKept ? { kept: true } : undefined
    }
    let failedCalls = 0
    for (const group of groupsOf(plan.changes)) {
      throwIfAborted({ operation, signal: options.signal, ...http })
      const done = new Map(group.map(({ index, change }) => [index, withoutCall(change)]))
      const pending = group.filter(({ index }) => done.get(index) === undefined)
      const outcomes = await calls.make(pending)
      for (const { index, change } of group) {
        const applied = { change, ...(done.get(index) ?? outcomes.get(index)) }
        count(applied)
        yield applied
      }
      // After the items were yielded, so that a caller sees what happened to each before the whole work ends.
      const errors = pending.flatMap(({ index }) => outcomes.get(index)?.error ?? [])
      if (pending.length === 0) continue
      failedCalls = errors.length === pending.length && errors.some(isAboutOthers) ? failedCalls + 1 : 0
      const rejection = errors.find(isRejection) ?? (failedCalls === maxConsecutiveFailures ? errors[0] : undefined)
      if (rejection !== undefined) throw rejection
    }
  }
  return bulk(run, () => totals, { operation, logger: http.logger })
}

/**
 * @throws {InvalidParamsError} it is not a plan
 * @throws {ConfigurationError} it removes too many members
 */
function checkPlan(plan: RosterPlanJson): void {
  const issue = planIssue(plan)
  if (issue) throw invalidParam(operation, issue.path, issue.message)
  const { rows, maxRemovals, remove, changes, unchanged } = plan
  const removals = changes.filter(({ action }) => action === 'remove').length
  if (rows === 0 && removals + unchanged.length > 0)
    throw new ConfigurationError({
      message: `${operation}: the desired roster is empty, so the plan would remove everyone. Check where its rows come from.`,
    })
  if (removals > maxRemovals) {
    const effect = remove === 'permanent' ? `deletes ${removals} members permanently` : `removes ${removals} members`
    throw new ConfigurationError({
      message: `${operation}: the plan ${effect}, and maxRemovals is ${maxRemovals}. Check the desired roster. If it is right, make the plan with maxRemovals: ${removals}.`,
    })
  }
}

/**
 * Reads the roster. Returns why a change is skipped, or `undefined` if it is needed.
 *
 * @throws {ConfigurationError} it is another roster
 */
async function skippedBy(
  { changes, organization, remove }: RosterPlanJson,
  roster: RosterReader,
  options: BulkOptions,
): Promise<(change: RosterChange) => SkipReason> {
  const { members, organization: listed } = await readRoster(roster, options)
  if (listed?.id !== organization?.id)
    throw new ConfigurationError({
      message: `${operation}: the plan was made for the roster of another organization. Check the credentials of the client, or make a new plan.`,
    })
  const byEmail = new Map(members.map((member) => [emailKey(member), member]))
  const byId = new Map(members.map((member) => [member.member_id, member]))
  const unlisted = changes.flatMap((change) =>
    change.action !== 'add' && !byId.has(change.member.member_id) ? change.member : [],
  )
  for (const member of (await lookUp(roster, unlisted, options)).values()) byId.set(member.member_id, member)
  return (change) => {
    if (change.action === 'add') {
      const member = byEmail.get(emailKey(change.desired))
      return member === undefined || isDeactivated(member) ? undefined : 'not_needed'
    }
    const member = byId.get(change.member.member_id)
    if (member === undefined) return 'not_found'
    // What was reviewed is the email, and what is sent is the id.
    if (emailKey(member) !== emailKey(change.member)) return 'other_email'
    const isNeeded =
      change.action === 'reactivate'
        ? isDeactivated(member)
        : (remove === 'permanent' || !isDeactivated(member)) && member.role === 'member'
    return isNeeded ? undefined : 'not_needed'
  }
}

/** A change with its place in the plan. */
interface PlannedChange<Change = RosterChange> {
  readonly index: number
  readonly change: Change
}

const isAddition = (one: PlannedChange): one is PlannedChange<RosterAddition> => one.change.action === 'add'

/** Yields the changes of each call, up to 500 additions or one other change. Removals come last, also if a plan was edited. */
function* groupsOf(changes: readonly RosterChange[]): Generator<readonly PlannedChange[]> {
  const planned = changes.map((change, index) => ({ index, change }))
  const additions = planned.filter(isAddition)
  for (let from = 0; from < additions.length; from += membersPerCall.max)
    yield additions.slice(from, from + membersPerCall.max)
  for (const action of ['reactivate', 'remove'])
    for (const one of planned) if (one.change.action === action) yield [one]
}

/** The calls that make the changes. */
class Calls {
  readonly #roster: RosterWriter
  readonly #plan: RosterPlanJson
  readonly #params: Pick<AddParams, 'notify' | 'invite'>
  readonly #options: BulkOptions

  constructor(
    roster: RosterWriter,
    facts: {
      readonly plan: RosterPlanJson
      readonly params: Pick<AddParams, 'notify' | 'invite'>
      readonly options: BulkOptions
    },
  ) {
    this.#roster = roster
    this.#plan = facts.plan
    this.#params = facts.params
    this.#options = facts.options
  }

  /** Makes the changes of one group. Returns the outcomes by their place in the plan. */
  async make(group: readonly PlannedChange[]): Promise<ReadonlyMap<number, ChangeOutcome>> {
    const outcomes = new Map<number, ChangeOutcome>()
    await this.#add(group.filter(isAddition), outcomes)
    for (const { index, change } of group)
      if (change.action !== 'add') outcomes.set(index, await this.#change(change).catch(failed))
    return outcomes
  }

  async #change(change: Exclude<RosterChange, RosterAddition>): Promise<ChangeOutcome> {
    const { member_id } = change.member
    if (change.action === 'reactivate') return { member: await this.#roster.reactivate(member_id, this.#options) }
    const params = this.#plan.remove === 'permanent' ? { permanent: true } : {}
    const { found, member } = Object(await this.#roster.remove(member_id, params, this.#options)) as RemoveResult
    return found === false ? { skipped: 'not_found' } : { member: member ?? null }
  }

  /** Adds members. If the service rejects single ones, the others are sent again without them. */
  async #add(additions: readonly PlannedChange<RosterAddition>[], outcomes: Map<number, ChangeOutcome>): Promise<void> {
    if (additions.length === 0) return
    const members = additions.map(({ change }) => change.desired)
    try {
      const result = await this.#roster.add({ members, ...this.#params }, this.#options)
      const find = outcomesIn(result)
      for (const { index, change } of additions) outcomes.set(index, find(change.desired))
    } catch (thrown) {
      const { error } = failed(thrown)
      const { rejected, others } = splitRejected(error, additions)
      for (const { item, fields } of rejected) outcomes.set(item.index, { error, rejectedFields: fields })
      await this.#add(others, outcomes)
    }
  }
}

/** Returns what the result of `members.add` says about a row. */
function outcomesIn(result: AddResult): (row: NewMember) => ChangeOutcome {
  const { created, skipped } = readAddResult(result)
  const members = new Map(created.map((member) => [emailKey(member), member]))
  const reasons = new Map(skipped.map((one) => [emailKey(one), one.reason]))
  return (row) => {
    const member = members.get(emailKey(row))
    const reason = reasons.get(emailKey(row))
    if (member !== undefined) return { member }
    if (reason === 'duplicate') return { skipped: reason }
    return { error: reason === undefined ? notListed() : leftOut(operation, 'desired.email') }
  }
}

const notListed = () =>
  new InvalidResponseError({
    operation,
    message: `${operation}: the response to members.add does not list a member that was sent. Run the plan again: it skips members who were added.`,
  })

/** @throws what ends the whole work */
function failed(thrown: unknown): { readonly error: AnySdkError } {
  if (!isSdkError(thrown) || thrown instanceof AbortedError) throw thrown
  return { error: thrown }
}

const accessStatuses: readonly number[] = [401, 402, 403]

/** Whether any other call would be rejected too. */
const isRejection = (error: AnySdkError) => error instanceof ApiError && accessStatuses.includes(error.status)

/** Whether the error says something about the service or the network, and not about the change. */
const isAboutOthers = (error: AnySdkError) =>
  !(error instanceof InvalidParamsError) &&
  !(error instanceof ApiError && error.status < 500 && error.status !== 429 && !isRejection(error))
