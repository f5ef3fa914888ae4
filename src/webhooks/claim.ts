import type { Store } from '../stores/store.ts'

export interface ClaimTerms {
  /** Names who holds the claim; nobody else's name is the same. */
  readonly holder: string
  readonly leaseMs: number
  readonly retainMs: number
}

/** An event that this process may handle, for as long as its lease is kept. */
export interface Claim {
  /** Renews the lease until the claim ends; hears of a store that fails meanwhile. */
  keep(onError: (error: unknown) => void): void
  /** Remembers the event as handled. @returns false where the lease was lost to somebody else */
  finish(): Promise<boolean>
  /** Lets the event be handled again. @returns false where the lease was lost to somebody else */
  free(): Promise<boolean>
}

const done = 'done'
const holderPrefix = 'claim:'
const renewalsPerLease = 3
/** A claim may end between two looks at it, and another take its place; that does not go on for ever. */
const looks = 3

/** Claims an event: it is ours, it is done, or somebody else is at it. */
export async function claimEvent(
  store: Store,
  eventId: string,
  terms: ClaimTerms,
): Promise<Claim | 'done' | 'taken'> {
  const key = `webhook:${eventId}`
  const value = holderPrefix + terms.holder
  for (let look = 0; look < looks; look++) {
    if (await store.set(key, value, { ttlMs: terms.leaseMs, ifAbsent: true }))
      return held(store, key, value, terms)
    const found = await store.get(key)
    if (found === done) return 'done'
    if (found !== null) return 'taken'
  }
  return 'taken'
}

function held(store: Store, key: string, value: string, { leaseMs, retainMs }: ClaimTerms): Claim {
  let timer: ReturnType<typeof setInterval> | undefined
  const stop = () => clearInterval(timer)
  return {
    keep(onError) {
      timer = setInterval(
        () => {
          store.compareAndSet(key, value, value, { ttlMs: leaseMs }).then((kept) => kept || stop(), onError)
        },
        Math.ceil(leaseMs / renewalsPerLease),
      )
      // Where timers can keep a process alive, this one must not.
      ;(timer as { unref?: () => void }).unref?.()
    },
    finish() {
      stop()
      return store.compareAndSet(key, value, done, { ttlMs: retainMs })
    },
    free() {
      stop()
      return store.compareAndDelete(key, value)
    },
  }
}
