import type { Timing } from '../../runtime/timing.ts'
import type { Store } from '../../stores/store.ts'
import { longestProbeMs } from './spend-limit.ts'
import { anotherValue, readRecord } from './stored-record.ts'

/** Where the state of a wallet is kept. */
export interface WalletSetup {
  readonly store: Store
  readonly timing: Timing
  readonly probeAfterMs: number
  /** Returns the key of a part of the state in the store. */
  key(part: string): string
}

/** How a probe ended. `unsent`: nothing was sent. `unclear`: the response does not depend on the wallet. */
type ProbeResult = 'paid' | 'unpaid' | 'unclear' | 'unsent'

/** The one call that may be sent to an empty wallet. No other probe starts until it ends. */
export interface Probe {
  /** False if the lease was lost, for example because the process was suspended. */
  readonly isHeld: boolean
  /** Records the result. If the store fails, the lease expires. */
  end(result: ProbeResult): void
}

/** A probe that crashes delays the next one by this time. */
const leaseMs = 30_000
/** Without a probe for this time, a 402 is forgotten. Longer than any wait, so that a probe follows it. */
const memoryMs = 2 * longestProbeMs
const maxTries = 3

/**
 * What 402 responses say about the wallet, shared by all processes. `empty` exists in the store while the wallet counts
 * as empty, and contains the wait between probes. `probe` exists while no other probe may start: during a wait, and
 * while a probe runs. All times are lifetimes of values, so the clocks of processes play no part.
 */
export class Wallet {
  readonly #setup: WalletSetup
  readonly #emptyKey: string
  readonly #probeKey: string
  /** What this process has learned and is still writing. Its next call does not have to wait for that. */
  #unwritten: { readonly isEmpty: boolean } | undefined
  /** The last known value of the probe key, and when this process first read it. */
  #seen: { readonly text: string; readonly at: number } | undefined

  constructor(setup: WalletSetup) {
    this.#setup = setup
    this.#emptyKey = setup.key('empty')
    this.#probeKey = setup.key('probe')
  }

  /**
   * Returns `open` if the wallet is not known to be empty, a probe if the call may be sent as one, and otherwise how long
   * to wait, in milliseconds.
   */
  async enter(): Promise<'open' | Probe | number> {
    const { store, probeAfterMs } = this.#setup
    if (this.#unwritten) return this.#unwritten.isEmpty ? probeAfterMs : 'open'
    for (let tries = 1; ; tries++) {
      const empty = await store.get(this.#emptyKey)
      if (empty === null) return 'open'
      const waitMs = waitOf(empty)
      const holder = `probe ${crypto.randomUUID()}`
      if (await store.set(this.#probeKey, holder, { ttlMs: leaseMs, ifAbsent: true }))
        return this.#probe(holder, empty, waitMs)
      const current = await store.get(this.#probeKey)
      // The wait, or the other probe, may have ended in between.
      if (current !== null || tries === maxTries) return this.#remainingMs(current, waitMs)
    }
  }

  /** Records a 402. A wait that runs already is not extended. */
  close(): void {
    const { store, probeAfterMs } = this.#setup
    const pause = this.#pause(probeAfterMs, (text, ttlMs) =>
      store.set(this.#probeKey, text, { ttlMs, ifAbsent: true }),
    )
    const empty = store.set(this.#emptyKey, emptyRecord(probeAfterMs), { ttlMs: memoryMs, ifAbsent: true })
    this.#learn(true, Promise.all([pause, empty]))
  }

  #learn(isEmpty: boolean, writing: Promise<unknown>): void {
    const learned = { isEmpty }
    this.#unwritten = learned
    const forget = () => {
      if (this.#unwritten === learned) this.#unwritten = undefined
    }
    writing.then(forget, forget)
  }

  /** Starts a wait, and notes its start for {@link #remainingMs}. */
  async #pause(waitMs: number, write: (text: string, ttlMs: number) => Promise<boolean>): Promise<void> {
    const text = `wait ${crypto.randomUUID()}`
    if (await write(text, waitMs)) this.#note(text)
  }

  /** The longest time until a wait ends. While a probe runs, that is the wait that follows if it fails. */
  #remainingMs(text: string | null, waitMs: number): number {
    if (!text?.startsWith('wait ')) return waitMs
    this.#note(text)
    const { at } = this.#seen ?? { at: 0 }
    return Math.max(1, Math.ceil(at + waitMs - this.#setup.timing.now()))
  }

  #note(text: string): void {
    if (this.#seen?.text !== text) this.#seen = { text, at: this.#setup.timing.now() }
  }

  #probe(holder: string, empty: string, waitMs: number): Probe {
    const { store, timing } = this.#setup
    const [emptyKey, probeKey] = [this.#emptyKey, this.#probeKey]
    let isHeld = true
    let isEnded = false
    let cancelTimer = () => {}

    const renewLater = () => {
      cancelTimer = timing.timer(() => void renew(), leaseMs / 3, { unref: true })
    }
    const renew = async () => {
      const kept = await Promise.all([
        store.compareAndSet(probeKey, holder, holder, { ttlMs: leaseMs }),
        store.compareAndSet(emptyKey, empty, empty, { ttlMs: memoryMs }),
      ]).catch(() => undefined)
      // After a failure of the store the lease may still exist.
      if (kept?.[0] === false) isHeld = false
      else if (!isEnded) renewLater()
    }
    // The lease is given up last, so that no other probe starts before the result is recorded.
    const reopen = async () => {
      const removing = store.compareAndDelete(emptyKey, empty)
      this.#learn(false, removing)
      await removing
      await store.compareAndDelete(probeKey, holder)
    }
    const wait = async (nextMs: number) => {
      await store.compareAndSet(emptyKey, empty, emptyRecord(nextMs), { ttlMs: memoryMs })
      await this.#pause(nextMs, (text, ttlMs) => store.compareAndSet(probeKey, holder, text, { ttlMs }))
    }
    const record: { readonly [Result in ProbeResult]: () => Promise<unknown> } = {
      paid: reopen,
      unpaid: () => wait(Math.min(waitMs * 2, longestProbeMs)),
      unclear: () => wait(waitMs),
      unsent: () => store.compareAndDelete(probeKey, holder),
    }

    renewLater()
    return {
      get isHeld() {
        return isHeld && !isEnded
      },
      end: (result) => {
        isEnded = true
        cancelTimer()
        record[result]().catch(() => {})
      },
    }
  }
}

const emptyRecord = (waitMs: number) => JSON.stringify({ waitMs })

/** A wait is never longer than documented, whatever another process has written. */
function waitOf(text: string): number {
  const { waitMs } = readRecord(text)
  if (typeof waitMs !== 'number' || !(waitMs > 0)) throw anotherValue()
  return Math.min(waitMs, longestProbeMs)
}
