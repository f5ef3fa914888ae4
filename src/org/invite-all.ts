import { type Bulk, type BulkFailure, type BulkSource, bulk } from '../bulk/bulk.ts'
import type { InviteResult } from '../contract/organization/member-results.ts'
import type { MemberRef } from '../contract/organization/members.ts'
import { type AnySdkError, isSdkError } from '../errors/any-sdk-error.ts'
import { AbortedError, CallError } from '../errors/call-errors.ts'
import type { ApiPromise } from '../http/exchange/api-promise.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { RequestOptions } from '../http/params/options.ts'
import { checkCallOptions } from '../http/params/params.ts'
import { aFunction } from '../options/rules.ts'
import { type BulkOptions, bulkOptionRules, read, throwIfAborted } from './bulk.ts'
import type { InviteRateLimiter } from './invite-rate-limiter.ts'

/** Options of `members.inviteAll`. */
export interface InviteAllOptions extends BulkOptions {
  /**
   * Called with the totals so far after each invite. An error that it throws is logged, and has no other effect.
   */
  readonly onProgress?: ((progress: InviteAllSummary) => void) | undefined
}

/** The totals of `inviteAll`. They do not contain activation links: those are in the outcomes. */
export interface InviteAllSummary {
  /** The number of members who were invited. */
  readonly invited: number
  /** The number of invites that failed. */
  readonly failed: number
  /** The id of each invite that failed, with the error. */
  readonly failures: readonly BulkFailure<string, AnySdkError>[]
}

/** The outcome of one invite of `inviteAll`. `outcome` discriminates the two. */
export type InviteAllItem =
  | {
      /** The invite succeeded. */
      readonly outcome: 'invited'
      /** The id as you passed it, or the `member_id` of the member that you passed. */
      readonly id: string
      /** The service's result. */
      readonly result: InviteResult
      /** Missing, because the invite succeeded. */
      readonly error?: undefined
    }
  | {
      /** The invite failed. */
      readonly outcome: 'failed'
      /** The id as you passed it, or the `member_id` of the member that you passed. */
      readonly id: string
      /** Missing, because the invite failed. */
      readonly result?: undefined
      /** Why the invite failed. */
      readonly error: AnySdkError
    }

type Invite = (id: string, options: RequestOptions) => ApiPromise<InviteResult>

const operation = 'members.inviteAll'

export function inviteAll(
  http: Pick<HttpClient, 'callHook' | 'logger' | 'errorDetail'>,
  invite: Invite,
  limiter: InviteRateLimiter,
  members: BulkSource<MemberRef>,
  inviteOptions: InviteAllOptions = {},
): Bulk<InviteAllItem, InviteAllSummary> {
  const { onProgress, ...options } = inviteOptions ?? {}
  const { signal } = options
  const reading = { operation, signal, errorDetail: http.errorDetail }
  const failures: BulkFailure<string, AnySdkError>[] = []
  const totals = { invited: 0, failed: 0, failures }
  async function* run(): AsyncGenerator<InviteAllItem, void, undefined> {
    checkCallOptions(inviteOptions, operation, {
      ...bulkOptionRules,
      onProgress: aFunction,
    })
    for await (const member of read(members, 'ids', reading)) {
      const id = memberIdOf(member)
      const slot = await limiter.reserve(signal)
      let requests = 0
      let item: InviteAllItem
      try {
        throwIfAborted(reading)
        const { data: result, response } = await invite(id, options).withResponse()
        requests = response.attempts
        item = { outcome: 'invited', id, result }
        totals.invited += 1
      } catch (error) {
        if (error instanceof CallError) requests = error.attempts
        if (!isSdkError(error) || error instanceof AbortedError) throw error
        item = { outcome: 'failed', id, error }
        totals.failed = failures.push({ item: id, error })
      } finally {
        limiter.release(slot, requests)
      }
      http.callHook('onProgress', () => onProgress?.({ ...totals }))
      yield item
    }
  }
  return bulk(run, () => totals, { operation, logger: http.logger })
}

/**
 * Returns the id for the path of a call. A value that is not an id is returned unchanged, for the call to reject it.
 */
export const memberIdOf = (ref: MemberRef): string => (typeof ref === 'object' && ref !== null ? ref.member_id : ref)
