import type { Bulk, BulkSource } from '../bulk/bulk.ts'
import type {
  AddResult,
  InviteResult,
  Member,
  MemberList,
  RemoveResult,
  ResolvedMember,
} from '../contract/organization/member-results.ts'
import {
  type AddParams,
  addMembers,
  deactivateMember,
  inviteMember,
  listMembers,
  type MemberRef,
  type NewMember,
  type RemoveParams,
  type ResolveParams,
  reactivateMember,
  removeMember,
  resolveMember,
} from '../contract/organization/members.ts'
import { type ApiPromise, type ListPromise, listPromise } from '../http/exchange/api-promise.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { NoParams, RequestOptions } from '../http/params/options.ts'
import { type AddAllItem, type AddAllOptions, type AddAllSummary, addAll } from './add-all.ts'
import { type AppliedChange, type ApplyPlanOptions, type ApplyPlanSummary, applyPlan } from './apply-plan.ts'
import {
  type InviteAllItem,
  type InviteAllOptions,
  type InviteAllSummary,
  inviteAll,
  memberIdOf,
} from './invite-all.ts'
import { InviteRateLimiter } from './invite-rate-limiter.ts'
import { type DesiredMember, type PlanOptions, plan, type RosterPlan, type RosterPlanJson } from './roster-plan.ts'

/**
 * The roster of an organization. Available as `org.members`. Methods that take a member's id accept the `vmem_` id, the
 * email, the `svc_id`, or a member that another method returned.
 */
export interface Members {
  /**
   * Lists the members whose role is `member`, with the organization. `await` gives both, `for await` the members. To
   * find owners, admins and developers, call {@link resolve}.
   *
   * @example
   * const { members, organization } = await org.members.list()
   */
  list(params?: NoParams, options?: RequestOptions): ListPromise<MemberList, Member>
  /**
   * Looks up a member of any role, by `svc_id` or by email. If the member does not exist, `found` is false. This
   * is not an error.
   *
   * @throws {BadRequestError} `missing_identifier`
   * @throws {InvalidParamsError} `email` has spaces around it, or contains an invisible or control character. Nothing
   *   was sent
   *
   * @example
   * const { found, member } = await org.members.resolve({ email: 'ada@example.com' })
   */
  resolve(params: ResolveParams, options?: RequestOptions): ApiPromise<ResolvedMember>
  /**
   * Adds 1 to 500 members and invites them.
   *
   * - A deactivated member with the same email is reactivated, with `reactivated: true`.
   * - A member who is in the roster already is `skipped`.
   * - Face links are returned only with `notify: false`. Anyone who has such a link can activate the member.
   *
   * Emails are sent as they are. One with spaces around it, or with an invisible or control character, is rejected,
   * because it would belong to another member, who looks like the same one.
   *
   * The call is retried only if the service executed nothing.
   *
   * @throws {BadRequestError} `invalid_request`; `fieldErrors` contains the errors by field
   * @throws {InvalidParamsError} an email has spaces around it, or contains an invisible or control character. Nothing
   *   was sent
   *
   * @example
   * const { created, skipped } = await org.members.add({ members: [{ email: 'ada@example.com' }] })
   */
  add(params: AddParams, options?: RequestOptions): ApiPromise<AddResult>
  /**
   * Adds any number of members, in calls of up to 500, one after the other. `await` runs all calls and returns the
   * totals. `for await` yields the batch of each call when it is done; to stop early, leave the loop. If you use
   * neither, nothing is sent.
   *
   * Emails are sent as they are, and those that {@link add} rejects fail their call. A call that fails does not throw,
   * and the other calls continue: its batch has the outcome `failed`, and `failures` of the totals contains it. With
   * `notify: false`, use `for await`, because only batches contain activation links.
   *
   * @param members an array, an iterable or an async iterable; it is read as the calls are made
   * @throws {AbortedError} `signal` was aborted; earlier calls are done, and `onProgress` was called with their totals
   * @throws {InvalidParamsError} `members` cannot be iterated
   *
   * @example
   * const { created, skipped, failures } = await org.members.addAll(people)
   * for (const { item, error } of failures) console.error(item.email, error.message)
   */
  addAll(members: BulkSource<NewMember>, options?: AddAllOptions): Bulk<AddAllItem, AddAllSummary>
  /**
   * Deactivates a member. Billing stops and app logins are revoked. The row and the person's identity are kept.
   *
   * @param id a `vmem_` id, an email, a `svc_id` or a member
   * @throws {NotFoundError} the member does not exist
   *
   * @example
   * const member = await org.members.deactivate('ada@example.com')
   */
  deactivate(id: MemberRef, options?: RequestOptions): ApiPromise<Member>
  /**
   * Reactivates a deactivated member. The new status is `active`, or `invited` if the identity no longer exists and the
   * member has to activate by face again.
   *
   * @param id a `vmem_` id, an email, a `svc_id` or a member
   * @throws {NotFoundError} the member does not exist
   *
   * @example
   * const { status } = await org.members.reactivate('ada@example.com')
   */
  reactivate(id: MemberRef, options?: RequestOptions): ApiPromise<Member>
  /**
   * Deactivates a member, or deletes the row with `permanent: true`. The person's account is never deleted.
   *
   * If no member has the id, `found` is false. This is not an error: the row can have been deleted earlier, also by an
   * attempt of this call whose response was lost. But the id can also be misspelled, and then the person still has
   * access.
   *
   * @param id a `vmem_` id, an email, a `svc_id` or a member
   *
   * @example
   * const { found } = await org.members.remove('ada@example.com')
   * if (!found) console.error('nobody was removed: check the address')
   */
  remove(id: MemberRef, params?: RemoveParams, options?: RequestOptions): ApiPromise<RemoveResult>
  /**
   * Emails a new face-activation link and returns it. It replaces earlier links. The contract limits them to 10 a
   * minute. For more, use {@link inviteAll}.
   *
   * @param id a `vmem_` id, an email, a `svc_id` or a member
   * @throws {ConflictError} `already_active`, or `deactivated`
   * @throws {NotFoundError} the member does not exist
   * @throws {RateLimitError} more than 10 in a minute, as the category of 429 suggests
   *
   * @example
   * const { activation_link } = await org.members.invite('bo@example.com')
   */
  invite(id: MemberRef, options?: RequestOptions): ApiPromise<InviteResult>
  /**
   * Resends invites to any number of members, one after the other. `await` sends all invites and returns the totals.
   * `for await` yields the outcome of each invite when it is done; to stop early, leave the loop. If you use neither,
   * nothing is sent.
   *
   * All invites of this client together are limited to 10 in any minute. An invite that fails does not throw, and the
   * other invites continue: its outcome is `failed`, and `failures` of the totals contains it.
   *
   * @param ids `vmem_` ids, emails, `svc_id`s or members
   * @throws {AbortedError} `signal` was aborted
   * @throws {InvalidParamsError} `ids` cannot be iterated; for a single id, call {@link invite}
   * @see docs/reference/http.md
   *
   * @example
   * const { invited, failures } = await org.members.inviteAll(pending)
   * for (const { item, error } of failures) console.error(item, error.code)
   */
  inviteAll(ids: BulkSource<MemberRef>, options?: InviteAllOptions): Bulk<InviteAllItem, InviteAllSummary>
  /**
   * Compares the roster with the one that you want, and returns what would have to change. It changes nothing: pass the
   * plan to {@link applyPlan}, at once or after a review.
   *
   * - The list of the service contains members with the role `member` only. So each row that is not listed is looked
   *   up, with one request, four at a time.
   * - Members match by email, compared without spaces around it, in Unicode normal form C and in lower case, and by the
   *   ASCII form of the domain without a dot at its end. Names and roles are not compared, because the contract has no
   *   call that changes them.
   * - Only members with the role `member` are removed, because owners, admins and developers are not listed.
   * - A row whose `status` is `deactivated` asks for nobody, so that the plan of the members that {@link list} returns
   *   is empty.
   * - Rows with the same email are in `conflicts`, and rows whose email is not one bare address, such as
   *   `Ada <ada@example.com>`. They change nothing, and their member is kept.
   *
   * @param desired the members that the roster is to have, as an array, an iterable or an async iterable; other fields
   *   of a row than email, names, role and `status` are ignored
   * @throws {AbortedError} `signal` was aborted
   * @throws {InvalidParamsError} `desired` cannot be iterated, or a row has no email
   *
   * @example
   * const plan = await org.members.plan(people, { maxRemovals: 20 })
   * for (const change of plan.changes) console.log(change.action)
   */
  plan(desired: BulkSource<DesiredMember>, options?: PlanOptions): Promise<RosterPlan>
  /**
   * Makes the changes of a plan, one call after the other, removals last. `await` makes all and returns the totals. `for
   * await` yields each change when it is done; to stop early, leave the loop. If you use neither, nothing is sent.
   *
   * The roster is read first. A change that it does not need any more is skipped, such as the removal of a member who
   * is gone, so a second run does only what is left. A change whose member has another email than the plan says is
   * skipped too, so that an edited plan cannot remove anyone else than it names. When all changes are made, discard the
   * plan: applied again, it would also change back what was changed by hand since then.
   *
   * A change that fails does not throw, and the others continue. But if an addition or reactivation failed, nobody is
   * removed, because the person can be the one who would be removed under another spelling of the email. `kept` of the
   * totals counts them. Members whose fields the service rejects do not stop
   * the others of their call. With `notify: false`, use `for await`, because only the items contain activation links.
   *
   * @param plan a plan, or its JSON
   * @throws {ConfigurationError} the plan removes more members than its `maxRemovals`, its desired roster is empty
   *   while the roster is not, or it was made for another organization. Nothing was sent
   * @throws {InvalidParamsError} `plan` is not a plan. Nothing was sent
   * @throws {ApiError} 401, 402 or 403: every other call would fail too
   * @throws {SdkError} three calls in a row failed, none because of its change. Run the plan again later
   * @throws {AbortedError} `signal` was aborted
   *
   * @example
   * const plan = await org.members.plan(people, { maxRemovals: 20 })
   * const { added, removed, failed, kept } = await org.members.applyPlan(plan)
   */
  applyPlan(plan: RosterPlan | RosterPlanJson, options?: ApplyPlanOptions): Bulk<AppliedChange, ApplyPlanSummary>
}

export function createMembers(http: HttpClient): Members {
  const inviteLimiter = new InviteRateLimiter(http.timing)
  const invite = (id: string, options?: RequestOptions) => http.send(inviteMember, { path: { member_id: id } }, options)
  const members: Members = {
    list: (params = {}, options) =>
      listPromise(listMembers, http.send(listMembers, { query: params }, options), (list) => list.members),
    resolve: (params, options) => http.send(resolveMember, { body: params }, options),
    add: (params, options) => http.send(addMembers, { body: params }, options),
    addAll: (people, options) => addAll(http, members, people, options),
    deactivate: (id, options) => http.send(deactivateMember, { path: { member_id: memberIdOf(id) } }, options),
    reactivate: (id, options) => http.send(reactivateMember, { path: { member_id: memberIdOf(id) } }, options),
    remove: (id, params = {}, options) =>
      http.send(
        removeMember,
        { path: { member_id: memberIdOf(id) }, query: params },
        options,
      ) as ApiPromise<RemoveResult>,
    invite: (id, options) => {
      inviteLimiter.record()
      return invite(memberIdOf(id), options)
    },
    inviteAll: (ids, options) => inviteAll(http, invite, inviteLimiter, ids, options),
    plan: (desired, options) => plan(http, members, desired, options),
    applyPlan: (plan, options) => applyPlan(http, members, plan, options),
  }
  return members
}
