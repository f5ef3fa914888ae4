import { type InviteResult, invitesPerMinute } from '../contract/roster.ts'
import { AbortedError } from '../errors/call-errors.ts'
import { isSdkError, type SdkError } from '../errors/sdk-error.ts'
import type { RequestOptions } from '../http/request-options.ts'
import type { Timing } from '../http/timing.ts'

export interface InviteAllOptions extends Omit<RequestOptions, 'idempotencyKey'> {
  /** Hears how many were done, failures included. */
  readonly onProgress?: ((done: number) => void) | undefined
}

/** What became of one invite. */
export interface InviteOutcome {
  /** As it was given. */
  readonly id: string
  readonly result?: InviteResult
  readonly error?: SdkError
}

interface Inviter {
  invite(id: string, options?: RequestOptions): PromiseLike<InviteResult>
}

const minuteMs = 60_000

export async function* inviteAll(
  roster: Inviter,
  { now, sleep }: Timing,
  ids: Iterable<string> | AsyncIterable<string>,
  { onProgress, ...options }: InviteAllOptions = {},
): AsyncGenerator<InviteOutcome, void, undefined> {
  const { signal } = options
  /** When the last few were sent: the limit counts any minute, not minutes of the clock. */
  const sent: number[] = []
  let done = 0
  for await (const id of ids) {
    const oldest = sent.length < invitesPerMinute ? undefined : sent.shift()
    const waitMs = oldest === undefined ? 0 : oldest + minuteMs - now()
    if (waitMs > 0) await sleep(waitMs, signal)
    if (signal?.aborted) {
      throw new AbortedError(
        { operation: 'members.inviteAll', attempts: 0 },
        { mayHaveArrived: false, cause: signal.reason },
      )
    }
    const outcome = await inviteOne(roster, id, options)
    // Counted from its end: a minute by the service's clock starts when the request arrived.
    sent.push(now())
    onProgress?.(++done)
    yield outcome
  }
}

async function inviteOne(roster: Inviter, id: string, options: RequestOptions): Promise<InviteOutcome> {
  try {
    return { id, result: await roster.invite(id, options) }
  } catch (error) {
    if (!isSdkError(error) || error instanceof AbortedError) throw error
    return { id, error }
  }
}
