import type { InviteResult } from '../contract/organization/member-results.ts'
import { AbortedError, CallError } from '../errors/call-errors.ts'
import { isSdkError, type SdkError } from '../errors/sdk-error.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { RequestOptions } from '../http/params/options.ts'
import { callHook } from '../runtime/call-hook.ts'
import { type BulkOptions, read, type Source, throwIfAborted } from './bulk.ts'
import type { InviteRateLimiter } from './invite-rate-limiter.ts'

/** Options of `members.inviteAll`. */
export interface InviteAllOptions extends BulkOptions {
  /** Called with the number of invites that are done, failures included. An error that it throws has no effect. */
  readonly onProgress?: ((done: number) => void) | undefined
}

/** The outcome of one invite. */
export interface InviteOutcome {
  /** The id as you passed it. */
  readonly id: string
  /** The service's result. Missing if the invite failed. */
  readonly result?: InviteResult
  /** The error if the invite failed. */
  readonly error?: SdkError
}

type Invite = (id: string, options: RequestOptions) => ApiPromise<InviteResult>

const operation = 'members.inviteAll'

export async function* inviteAll(
  invite: Invite,
  limiter: InviteRateLimiter,
  ids: Source<string>,
  { onProgress, ...options }: InviteAllOptions = {},
): AsyncGenerator<InviteOutcome, void, undefined> {
  const { signal } = options
  let done = 0
  for await (const id of read(ids, { name: 'ids', operation, signal })) {
    const slot = await limiter.reserve(signal)
    let requests = 0
    let outcome: InviteOutcome
    try {
      throwIfAborted(signal, operation)
      const { data: result, response } = await invite(id, options).withResponse()
      requests = response.attempts
      outcome = { id, result }
    } catch (error) {
      if (error instanceof CallError) requests = error.attempts
      if (!isSdkError(error) || error instanceof AbortedError) throw error
      outcome = { id, error }
    } finally {
      limiter.release(slot, requests)
    }
    done += 1
    callHook(() => onProgress?.(done))
    yield outcome
  }
}
