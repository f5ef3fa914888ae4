import {
  retrieveSession,
  type Session,
  type SessionStatusUpdate,
  updateSessionStatus,
} from '../contract/verification/sessions.ts'
import { ApiError, isErrorCode } from '../errors/api-errors.ts'
import { AbortedError, CallError, TimeoutError } from '../errors/call-errors.ts'
import { ApiPromise, type WithResponse } from '../http/api-promise.ts'
import type { HttpClient } from '../http/http-client.ts'
import { checkRequestOptions, type RequestOptions } from '../http/params/options.ts'
import { backoffMs, isAmbiguous, longestRetryAfterMs } from '../http/retry.ts'

/** Sends a verdict; where it is unclear whether it arrived, the session itself is asked. */
export function updateStatus(
  http: HttpClient,
  id: string,
  params: SessionStatusUpdate,
  options: RequestOptions = {},
): ApiPromise<Session> {
  return new ApiPromise(settle(http, id, params, options))
}

async function settle(
  http: HttpClient,
  id: string,
  params: SessionStatusUpdate,
  options: RequestOptions,
): Promise<WithResponse<Session>> {
  const { operation } = updateSessionStatus
  checkRequestOptions(options, operation)
  const { signal } = options
  const { maxRetries, deadline } = http.budgetFor(options)
  const { deadlineMs } = deadline
  const within = () =>
    deadlineMs === undefined ? options : { ...options, deadlineMs: Math.max(1, Math.floor(deadline.leftMs)) }
  let unclear: unknown
  /** Changes sent so far: all of them together keep to `maxRetries`. */
  let attempts = 0
  for (;;) {
    try {
      return await http
        .send(
          updateSessionStatus,
          { path: { id }, body: params },
          { ...within(), maxRetries: maxRetries - attempts },
        )
        .withResponse()
    } catch (failure) {
      // A verdict that was recorded late answers our own repeat with this.
      const mayBeOurs = unclear !== undefined && isErrorCode(failure, 'already_decided')
      if (!isAmbiguous(failure) && !mayBeOurs) throw failure
      unclear ??= failure
      attempts += failure instanceof CallError ? failure.attempts : 1
      const aborted = () =>
        new AbortedError({ operation, attempts }, { mayHaveArrived: true, cause: signal?.reason })
      if (deadline.leftMs < 1) throw failure
      const found = await http
        .send(retrieveSession, { path: { id } }, within())
        .withResponse()
        .catch(() => undefined)
      if (found === undefined) throw signal?.aborted ? aborted() : unclear
      if (found.data.status === params.status) return found
      const pauseMs = pauseAfter(failure, { attempts, leftMs: deadline.leftMs, random: http.timing.random() })
      if (attempts > maxRetries || mayBeOurs || pauseMs === undefined) throw failure
      if (deadlineMs !== undefined && pauseMs >= deadline.leftMs) {
        const facts = {
          limit: 'deadlineMs',
          limitMs: deadlineMs,
          mayHaveArrived: true,
          cause: failure,
        } as const
        throw new TimeoutError({ operation, attempts }, facts)
      }
      await http.timing.sleep(pauseMs, signal)
      if (signal?.aborted) throw aborted()
    }
  }
}

/** The wait before another attempt; none where the service asks for a longer one than there is. */
function pauseAfter(
  failure: unknown,
  { attempts, leftMs, random }: { attempts: number; leftMs: number; random: number },
): number | undefined {
  const asked = failure instanceof ApiError ? failure.retryAfterMs : undefined
  if (asked === undefined) return backoffMs(attempts, random)
  return asked > longestRetryAfterMs || asked >= leftMs ? undefined : asked
}
