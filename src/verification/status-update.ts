import { retrieveSession, type Session, type SessionStatusUpdate, updateSessionStatus } from '../contract/sessions.ts'
import { ApiError, isErrorCode } from '../errors/api-errors.ts'
import { ApiPromise, type WithResponse } from '../http/api-promise.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { RequestOptions } from '../http/request-options.ts'
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
  const within = http.allowance(options)
  let unclear: unknown
  for (let retriesLeft = within.maxRetries; ; retriesLeft--) {
    try {
      return await http
        .send(updateSessionStatus, { path: { id }, body: params }, { ...options, ...within.left() })
        .withResponse()
    } catch (failure) {
      // A verdict that was recorded late answers our own repeat with this.
      const mayBeOurs = unclear !== undefined && isErrorCode(failure, 'already_decided')
      if (!isAmbiguous(failure) && !mayBeOurs) throw failure
      unclear ??= failure
      const found = await http
        .send(retrieveSession, { path: { id } }, { ...options, ...within.left() })
        .withResponse()
        .catch(() => undefined)
      if (found === undefined) throw unclear
      if (found.data.status === params.status) return found
      const pauseMs = pauseAfter(failure, within.maxRetries - retriesLeft, http.timing.random())
      if (retriesLeft === 0 || mayBeOurs || pauseMs === undefined) throw failure
      await http.timing.sleep(pauseMs, options.signal)
    }
  }
}

function pauseAfter(failure: unknown, retry: number, random: number): number | undefined {
  const asked = failure instanceof ApiError ? failure.retryAfterMs : undefined
  if (asked === undefined) return backoffMs(retry + 1, random)
  return asked > longestRetryAfterMs ? undefined : asked
}
