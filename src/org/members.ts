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
  type NewMember,
  type RemoveParams,
  type ResolveParams,
  reactivateMember,
  removeMember,
  resolveMember,
} from '../contract/organization/members.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { RequestOptions } from '../http/params/options.ts'
import { type AddAllOptions, type AddedBatch, addAll } from './add-all.ts'
import { type InviteAllOptions, type InviteOutcome, inviteAll } from './invite-all.ts'
import { InviteRateLimiter } from './invite-rate-limiter.ts'

/**
 * The roster of an organization. Reached as `org.members`. Where a member is asked for by id, their `vmem_`
 * id, their email or their `svc_id` will do.
 */
export class Members {
  readonly #http: HttpClient
  readonly #pace: InviteRateLimiter

  /** @internal */
  constructor(http: HttpClient) {
    this.#http = http
    this.#pace = new InviteRateLimiter(http.timing)
  }

  /**
   * Lists the members whose role is `member`, with the organization. Owners, admins and developers are found
   * by {@link resolve}.
   *
   * @see service contract, section 4.9
   *
   * @example
   * const { members, organization } = await org.members.list()
   */
  list(options?: RequestOptions): ApiPromise<MemberList> {
    return this.#http.send(listMembers, {}, options)
  }

  /**
   * Looks a member of any role up, by `svc_id` or by email. Nobody found is a result, not an error.
   *
   * @throws {BadRequestError} `missing_identifier`
   * @see service contract, section 4.9
   *
   * @example
   * const { found, member } = await org.members.resolve({ email: 'ada@example.com' })
   */
  resolve(params: ResolveParams, options?: RequestOptions): ApiPromise<ResolvedMember> {
    return this.#http.send(resolveMember, { body: params }, options)
  }

  /**
   * Adds 1 to 500 members and invites them. A deactivated member with the same email comes back, with
   * `reactivated: true`; one that is there already is `skipped`. Face links are returned only with
   * `notify: false`: whoever has one can activate that member.
   *
   * It has no documented idempotency key, so it is repeated only where nothing was done.
   *
   * @throws {BadRequestError} `invalid_request`; `fieldErrors` tells what is wrong with which entry
   * @see service contract, sections 3.3 and 4.9
   *
   * @example
   * const { created, skipped } = await org.members.add({ members: [{ email: 'ada@example.com' }] })
   */
  add(params: AddParams, options?: RequestOptions): ApiPromise<AddResult> {
    return this.#http.send(addMembers, { body: params }, options)
  }

  /**
   * Adds any number of members, in calls of up to 500, one after the other. A call that fails is told by the
   * `error` of its batch, and the others go on. Stop early by leaving the loop.
   *
   * @param members a list or a stream; it is read as the calls are made
   * @throws {AbortedError} `signal` was aborted; batches that were yielded are done
   * @throws {InvalidParamsError} `members` cannot be iterated
   * @see service contract, sections 4.9 and 8
   *
   * @example
   * for await (const batch of org.members.addAll(people)) {
   *   if (batch.error) console.error(batch.error.message, batch.members)
   * }
   */
  addAll(
    members: Iterable<NewMember> | AsyncIterable<NewMember>,
    options?: AddAllOptions,
  ): AsyncGenerator<AddedBatch, void, undefined> {
    return addAll(this, members, options)
  }

  /**
   * Ends a membership: billing stops and app logins are revoked, while the row and the person's identity stay.
   *
   * @param id a `vmem_` id, an email or a `svc_id`
   * @throws {NotFoundError} no such member
   * @see service contract, sections 3.3 and 4.9
   *
   * @example
   * const member = await org.members.deactivate('ada@example.com')
   */
  deactivate(id: string, options?: RequestOptions): ApiPromise<Member> {
    return this.#http.send(deactivateMember, { path: { member_id: id } }, options)
  }

  /**
   * Brings a deactivated member back: `active`, or `invited` where the identity is gone and the face has to be
   * shown again.
   *
   * @param id a `vmem_` id, an email or a `svc_id`
   * @throws {NotFoundError} no such member
   * @see service contract, sections 3.3 and 4.9
   *
   * @example
   * const { status } = await org.members.reactivate('ada@example.com')
   */
  reactivate(id: string, options?: RequestOptions): ApiPromise<Member> {
    return this.#http.send(reactivateMember, { path: { member_id: id } }, options)
  }

  /**
   * Deactivates a member, or with `permanent: true` deletes the row; the person's account is never deleted.
   * One that is gone already is a success.
   *
   * @param id a `vmem_` id, an email or a `svc_id`
   * @see service contract, sections 3.3 and 4.9
   *
   * @example
   * const { removed, already_removed } = await org.members.remove('ada@example.com', { permanent: true })
   */
  remove(id: string, params: RemoveParams = {}, options?: RequestOptions): ApiPromise<RemoveResult> {
    return this.#http.send(removeMember, { path: { member_id: id }, query: params }, options)
  }

  /**
   * Emails a new face-activation link and returns it; earlier links end. The service takes 10 of these a
   * minute: for more, use {@link inviteAll}.
   *
   * @param id a `vmem_` id, an email or a `svc_id`
   * @throws {ConflictError} `already_active`, or `deactivated`
   * @throws {NotFoundError} no such member
   * @throws {RateLimitError} more than 10 in a minute
   * @see service contract, sections 4.9 and 8
   *
   * @example
   * const { activation_link } = await org.members.invite('bo@example.com')
   */
  invite(id: string, options?: RequestOptions): ApiPromise<InviteResult> {
    this.#pace.record()
    return this.#invite(id, options)
  }

  /**
   * Invites any number of members again, one after the other. With every other invite of this client they are
   * kept to 10 in any minute: the contract does not say that each member has 10 of their own. An invite that
   * fails is told by its `error`, and the others go on.
   *
   * @param ids `vmem_` ids, emails or `svc_id`s
   * @throws {AbortedError} `signal` was aborted
   * @throws {InvalidParamsError} `ids` cannot be iterated; a single id goes to {@link invite}
   * @see service contract, section 8
   *
   * @example
   * for await (const { id, error } of org.members.inviteAll(pending)) if (error) console.error(id, error.code)
   */
  inviteAll(
    ids: Iterable<string> | AsyncIterable<string>,
    options?: InviteAllOptions,
  ): AsyncGenerator<InviteOutcome, void, undefined> {
    return inviteAll((id, each) => this.#invite(id, each), this.#pace, ids, options)
  }

  #invite(id: string, options: RequestOptions | undefined): ApiPromise<InviteResult> {
    return this.#http.send(inviteMember, { path: { member_id: id } }, options)
  }
}
