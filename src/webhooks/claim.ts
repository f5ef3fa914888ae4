import { StoreError } from '../errors/sdk-error.ts'
import type { Store } from '../stores/store.ts'

export interface ClaimTerms {
  /** Names who holds the claim; nobody else's name is the same. */
  readonly holder: string
  readonly leaseMs: number
  readonly retainMs: number
}

/** An event that this process may handle, for as long as its lease is kept. */
export interface Claim {
  /** Renews the lease until the claim ends; hears of a store that fails meanwhile, and of a lease that is lost. */
  keep(onError: (error: unknown) => void): void
  /** Remembers the event as handled. Rejects where the lease was lost to somebody else, unless that was told. */
  finish(): Promise<void>
  /** Lets the event be handled again. Rejects where the lease was lost to somebody else, unless that was told. */
  free(): Promise<void>
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
    // Where the connection broke, a store's client may have sent the write twice: the first one made it ours.
    if (found === value) return held(store, key, value, terms)
    if (found === done) return 'done'
    if (found !== null) return 'taken'
  }
  return 'taken'
}

function held(store: Store, key: string, value: string, { leaseMs, retainMs }: ClaimTerms): Claim {
  let timer: ReturnType<typeof setInterval> | undefined
  let ended = false
  let lossIsTold = false
  const stop = () => {
    ended = true
    clearInterval(timer)
  }
  const confirm = (kept: boolean) => {
    if (!kept && !lossIsTold) throw leaseLost()
  }
  // Each step is async, so that a store that throws where it should reject is no different.
  const renew = async () => store.compareAndSet(key, value, value, { ttlMs: leaseMs })
  return {
    keep(onError) {
      const judge = (kept: boolean) => {
        // An answer that comes after the end says nothing of the lease.
        if (kept || ended) return
        stop()
        lossIsTold = true
        onError(leaseLost())
      }
      timer = setInterval(
        () => void renew().then(judge, (error) => ended || onError(error)),
        Math.ceil(leaseMs / renewalsPerLease),
      )
      // Where timers can keep a process alive, this one must not.
      ;(timer as { unref?: () => void }).unref?.()
    },
    async finish() {
      stop()
      const isMarked = await store.compareAndSet(key, value, done, { ttlMs: retainMs })
      // The lease may have ended with nobody taking over: the event is handled all the same.
      confirm(isMarked || (await store.set(key, done, { ttlMs: retainMs, ifAbsent: true })))
    },
    async free() {
      stop()
      confirm(await store.compareAndDelete(key, value))
    },
  }
}

const leaseLost = () =>
  new StoreError('the lease of this event ended while its callback ran: another process may run it too')
