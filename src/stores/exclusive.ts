import { backoffMs, type Timing } from '../runtime/timing.ts'
import type { Lease } from './lease.ts'

/** Work for a key that one process does at a time, of all that share a store. */
export interface ExclusiveWork<Read, Done> {
  /** Reads what all processes share. */
  readonly read: () => Promise<Read>
  /** What was read before. @default it is read */
  readonly known?: Read | undefined
  /** Returns the result if nothing is left to do. @default there is work */
  readonly doneIn?: (read: Read) => Done | undefined | Promise<Done | undefined>
  /** Whether another process is working. @default `attempt` finds it out */
  readonly isTaken?: (read: Read) => boolean | Promise<boolean>
  /** Works. Returns `undefined` if another process has worked meanwhile, so that it must be read again. */
  readonly attempt: (read: Read) => Promise<Done | undefined>
  /** How long to wait for other processes, in milliseconds. Each of them may crash, or stand still. */
  readonly limitMs: number
  /** Ends the wait. `read` throws then. */
  readonly signal?: AbortSignal | undefined
  /** Returns or throws what follows if other processes worked for all that time. */
  readonly tooLong: () => Done
}

/**
 * Does work, or waits until another process has done it. A process that works has a lease, so one that crashed is
 * followed by the next; it writes by compare-and-set, so one that stood still cannot overwrite what came after it.
 */
export async function exclusively<Read, Done>(
  { read, known, doneIn, isTaken, attempt, limitMs, signal, tooLong }: ExclusiveWork<Read, Done>,
  timing: Pick<Timing, 'now' | 'sleep' | 'random'>,
): Promise<Done> {
  const endsAt = timing.now() + limitMs
  for (let round = 1, next = known; ; round++, next = undefined) {
    const found = next ?? (await read())
    const done = (await doneIn?.(found)) ?? ((await isTaken?.(found)) ? undefined : await attempt(found))
    if (done !== undefined) return done
    const leftMs = Math.max(0, endsAt - timing.now())
    // Once more after the first time, because the limit may have passed while this process stood still.
    if (leftMs === 0 && round > 1) return tooLong()
    // Never at once, because each process that waits reads the store again after it.
    const pauseMs = backoffMs(Math.min(round, 2), 0.1 + 0.4 * timing.random())
    await timing.sleep(Math.min(pauseMs, leftMs), signal)
  }
}

/**
 * How a lease ends with its work. `release`: others may wait for it. `expire`: nothing names it any more, so the store need
 * not be called. `go on`: it has been given to other work.
 */
type Ending = 'release' | 'expire' | 'go on'

/**
 * Works with a lease, which begins when it is first needed, and ends it.
 *
 * @param begin returns `undefined` if another process has the lease
 * @param endingOf how it ends if the work succeeds. Otherwise it is released, because what names it may have been written
 */
export async function leased<L extends Lease | undefined, T>(
  begin: () => Promise<L>,
  work: (lease: () => Promise<L>) => Promise<T>,
  endingOf: (result: T, lease: Lease) => Ending = () => 'release',
): Promise<T> {
  let lease: L | undefined
  let ending: Ending = 'release'
  try {
    const result = await work(async () => {
      lease ??= await begin()
      return lease as L
    })
    if (lease) ending = endingOf(result, lease)
    return result
  } finally {
    if (ending !== 'go on') lease?.end()
    // If that fails, the lease expires.
    if (ending === 'release') await lease?.release().catch(() => {})
  }
}
