import { isSdkError } from '../../errors/any-sdk-error.ts'
import { StoreError } from '../../errors/sdk-error.ts'
import type { Timing } from '../../runtime/timing.ts'
import { exclusively, type FoundLease, Lease, type SignalContext } from '../../stores/exclusive.ts'
import type { Store } from '../../stores/store.ts'

export interface ClaimOptions {
  readonly store: Store
  /** Separates handlers that share the store. */
  readonly name: string | undefined
  readonly leaseMs: number
  readonly retainMs: number
  readonly timing: Timing
}

const done = 'done'
const holderPrefix = 'claim:'
/** A claim may end between the failed write and the read, and another may replace it. This bounds the attempts. */
const claimLimitMs = 1_000

/**
 * Runs the work of an event once, over all processes that share the store, while this process holds a claim on it: a
 * lease, which is renewed until it ends or is lost. Rejects if the work throws, or if the claim cannot be read or
 * written. The event can then be delivered again.
 *
 * @param onError called with failures that do not change the outcome
 */
export async function runOnce(
  eventId: string,
  options: ClaimOptions,
  work: (context: SignalContext) => Promise<void>,
  onError: (error: unknown) => void,
): Promise<'processed' | 'duplicate' | 'in_progress'> {
  const claim = await claimEvent(eventId, options, onError)
  if (!(claim instanceof Lease)) return claim
  try {
    await work({ signal: claim.keep().signal })
  } catch (error) {
    await claim.release().then(throwIfLost(claim)).catch(onError)
    throw error
  }
  // The callbacks ran, so a mark that fails must not ask the sender for another delivery.
  await finish(claim, options.retainMs).catch(onError)
  return 'processed'
}

/** Claims an event for this process, unless it is done or another process is handling it. */
function claimEvent(
  eventId: string,
  { store, name, leaseMs: ttlMs, timing }: ClaimOptions,
  onError: (error: unknown) => void,
): Promise<Lease | 'duplicate' | 'in_progress'> {
  // A name contains no colon, so the two forms never meet.
  const key = `${name === undefined ? 'webhook' : `webhook-${name}`}:${eventId}`
  return exclusively<Lease | FoundLease, Lease | 'duplicate' | 'in_progress'>(
    {
      read: () => {
        const holder = holderPrefix + crypto.randomUUID()
        return Lease.acquire({ store, key, holder, ttlMs, timing, lost: leaseLost, onError })
      },
      async attempt(claim) {
        if (!(claim instanceof Lease)) return foundIn(claim)
        if (claim.isHeld) return claim
        // This process was paused until its lease had ended, so another process may be handling the event.
        claim.end()
        return undefined
      },
      limitMs: claimLimitMs,
      tooLong: () => 'in_progress',
    },
    timing,
  )
}

/** `undefined` if the claim of another process has just ended. */
function foundIn({ found }: FoundLease): 'duplicate' | 'in_progress' | undefined {
  if (found === null) return undefined
  return found === done ? 'duplicate' : 'in_progress'
}

/** Marks an event as done. Rejects if that fails, or if the lease was lost and `onError` was not called with that. */
async function finish(claim: Lease, retainMs: number): Promise<void> {
  const isMarked = await claim.replaceBy(done, retainMs).catch((cause: unknown) => {
    throw markFailed(cause)
  })
  throwIfLost(claim)(isMarked)
}

/** A loss that was noticed earlier has been reported. */
const throwIfLost = (claim: Lease) => (isHeld: boolean) => {
  if (!isHeld && !claim.signal.aborted) throw leaseLost()
}

const leaseLost = (cause?: unknown) =>
  new StoreError({
    message:
      'The lease of this event ended while its callback ran, so another process may run the callback too. ' +
      'Check the connection to the store, or raise leaseMs.',
    cause,
  })

const markFailed = (cause: unknown) => {
  const why = isSdkError(cause) ? ` (${cause.message})` : ''
  return new StoreError({
    message:
      `The event was handled, but it could not be marked as done${why}. If it is delivered again after its lease has ` +
      'ended, its callback runs again. Check the connection to the store.',
    mayHaveHappened: true,
    cause,
  })
}
