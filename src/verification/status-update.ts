import {
  retrieveSession,
  type Session,
  type SessionStatusUpdate,
  updateSessionStatus,
} from '../contract/verification/sessions.ts'
import { ApiError } from '../errors/api-errors.ts'
import { AbortedError, CallError, TimeoutError } from '../errors/call-errors.ts'
import { longestRetryAfterMs } from '../http/attempts/retry-policy.ts'
import { type ApiPromise, CallPromise, type WithResponse } from '../http/exchange/api-promise.ts'
import { isAmbiguous } from '../http/exchange/doubt.ts'
import type { HttpClient } from '../http/http-client.ts'
import { type RequestOptions, requestOptionRules } from '../http/params/options.ts'
import { checkCallOptions } from '../http/params/params.ts'
import { backoffMs } from '../runtime/timing.ts'

/** Sends a verdict. After an ambiguous failure it reads the session, which shows whether the verdict was recorded. */
export function updateStatus(
  http: HttpClient,
  id: string,
  params: SessionStatusUpdate,
  options: RequestOptions = {},
): ApiPromise<Session> {
  return new CallPromise(sendAndConfirm(http, id, params, options))
}

async function sendAndConfirm(
  http: HttpClient,
  id: string,
  params: SessionStatusUpdate,
  options: RequestOptions,
): Promise<WithResponse<Session>> {
  const { operation } = updateSessionStatus
  checkCallOptions(options, operation, requestOptionRules)
  const { signal } = options
  const { maxRetries, deadline } = http.budgetFor(options)
  const { deadlineMs } = deadline
  const remaining = () =>
    deadlineMs === undefined ? options : { ...options, deadlineMs: Math.max(1, Math.floor(deadline.leftMs)) }
  let firstAmbiguous: unknown
  /** PATCH requests so far. All rounds together are bounded by `maxRetries`. */
  let attempts = 0
  for (;;) {
    try {
      return await http
        .send(
          updateSessionStatus,
          { path: { id }, body: params },
          { ...remaining(), maxRetries: maxRetries - attempts },
        )
        .withResponse()
    } catch (failure) {
      // If an earlier attempt was executed late, the retry gets `already_decided`.
      const mayBeOurVerdict =
        firstAmbiguous !== undefined && failure instanceof ApiError && failure.code === 'already_decided'
      if (!isAmbiguous(failure, updateSessionStatus) && !mayBeOurVerdict) throw failure
      firstAmbiguous ??= failure
      attempts += failure instanceof CallError ? failure.attempts : 1
      const { errorDetail } = http
      const aborted = () =>
        new AbortedError({ operation, attempts, mayHaveArrived: true, errorDetail, cause: signal?.reason })
      if (deadline.leftMs < 1) throw failure
      const read = await http
        .send(retrieveSession, { path: { id } }, { ...remaining(), extraParams: undefined })
        .withResponse()
        .catch(() => undefined)
      const status = (read?.data as Session | null | undefined)?.status
      if (read === undefined || status === undefined) throw signal?.aborted ? aborted() : firstAmbiguous
      if (status === params.status) return read
      const pauseMs = pauseAfter(failure, { attempts, leftMs: deadline.leftMs, random: http.timing.random() })
      if (attempts > maxRetries || mayBeOurVerdict || isFinal(failure) || pauseMs === undefined) throw failure
      if (deadlineMs !== undefined && pauseMs >= deadline.leftMs) {
        throw new TimeoutError({
          operation,
          attempts,
          limit: 'deadlineMs',
          limitMs: deadlineMs,
          mayHaveArrived: true,
          cause: failure,
        })
      }
      await http.timing.sleep(pauseMs, signal)
      if (signal?.aborted) throw aborted()
    }
  }
}

/** Whether no retry can help, although the verdict may have been recorded: a setting of the service has to be fixed. */
const isFinal = (failure: unknown) => failure instanceof ApiError && !failure.retryable

/** Returns the pause before the next attempt. `undefined` if `Retry-After` is longer than the limit or the deadline. */
function pauseAfter(
  failure: unknown,
  { attempts, leftMs, random }: { attempts: number; leftMs: number; random: number },
): number | undefined {
  const retryAfterMs = failure instanceof ApiError ? failure.retryAfterMs : undefined
  if (retryAfterMs === undefined) return backoffMs(attempts, random)
  return retryAfterMs > longestRetryAfterMs || retryAfterMs >= leftMs ? undefined : retryAfterMs
}
