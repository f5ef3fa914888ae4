import type { InviteResult } from '../contract/organization/member-results.ts'
import type { MemberRef } from '../contract/organization/members.ts'
import type { AnySdkError } from '../errors/any-sdk-error.ts'
import { AbortedError, CallError } from '../errors/call-errors.ts'
import { isSdkError } from '../errors/is-sdk-error.ts'
import type { OptionNames } from '../errors/option-names.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { HttpClient } from '../http/http-client.ts'
import { checkCallOptionNames } from '../http/params/check-options.ts'
import type { RequestOptions } from '../http/params/options.ts'
import { type Bulk, type BulkSource, bulk } from '../runtime/bulk.ts'
import { type BulkOptions, bulkOptionNames, read, throwIfAborted } from './bulk.ts'
import type { InviteRateLimiter } from './invite-rate-limiter.ts'
import { memberIdOf } from './member-id.ts'

/** Options of `members.inviteAll`. */
export interface InviteAllOptions extends BulkOptions {
  /**
   * Called with the number of invites that are done, failures included. An error that it throws is logged, and has no
   * other effect.
   */
  readonly onProgress?: ((done: number) => void) | undefined
}

/** The totals of `inviteAll`. They do not contain activation links: those are in the outcomes. */
export interface InviteAllSummary {
  /** The number of members who were invited. */
  readonly invited: number
  /** The number of invites that failed. */
  readonly failed: number
  /** The invites that failed, each with its id and the error. Empty if every invite succeeded. */
  readonly failures: InviteFailed[]
}

/** An invite of `inviteAll` that succeeded. */
export interface MemberInvited {
  /** The invite succeeded. */
  readonly outcome: 'invited'
  /** The id as you passed it, or the `member_id` of the member that you passed. */
  readonly id: string
  /** The service's result. */
  readonly result: InviteResult
  /** Missing, because the invite succeeded. */
  readonly error?: undefined
}

/** An invite of `inviteAll` that failed. */
export interface InviteFailed {
  /** The invite failed. */
  readonly outcome: 'failed'
  /** The id as you passed it, or the `member_id` of the member that you passed. */
  readonly id: string
  /** Missing, because the invite failed. */
  readonly result?: undefined
  /** Why the invite failed. */
  readonly error: AnySdkError
}

/** The outcome of one invite of `inviteAll`. `outcome` discriminates the two. */
export type InviteOutcome = MemberInvited | InviteFailed

type Invite = (id: string, options: RequestOptions) => ApiPromise<InviteResult>

const operation = 'members.inviteAll'

const optionNames = { ...bulkOptionNames, onProgress: true } satisfies OptionNames<InviteAllOptions>

export function inviteAll(
  http: Pick<HttpClient, 'callHook' | 'logger'>,
  invite: Invite,
  limiter: InviteRateLimiter,
  members: BulkSource<MemberRef>,
  given: InviteAllOptions = {},
): Bulk<InviteOutcome, InviteAllSummary> {
  const { onProgress, ...options } = given ?? {}
  const { signal } = options
  const failures: InviteFailed[] = []
  let done = 0
  async function* run(): AsyncGenerator<InviteOutcome, void, undefined> {
    checkCallOptionNames(given, operation, optionNames)
    for await (const member of read(members, { name: 'ids', operation, signal })) {
      const id = memberIdOf(member)
      const slot = await limiter.reserve(signal)
      let requests = 0
      let outcome: InviteOutcome
      try {
        throwIfAborted(signal, operation)
        const { data: result, response } = await invite(id, options).withResponse()
        requests = response.attempts
        outcome = { outcome: 'invited', id, result }
      } catch (error) {
        if (error instanceof CallError) requests = error.attempts
        if (!isSdkError(error) || error instanceof AbortedError) throw error
        outcome = { outcome: 'failed', id, error }
        failures.push(outcome)
      } finally {
        limiter.release(slot, requests)
      }
      done += 1
      http.callHook('onProgress', () => onProgress?.(done))
      yield outcome
    }
  }
  const totals = () => ({ invited: done - failures.length, failed: failures.length, failures })
  return bulk(run, totals, { operation, logger: http.logger })
}
