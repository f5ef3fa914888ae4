import { StoreError } from '../../errors/sdk-error.ts'
import type { Timing } from '../../runtime/timing.ts'
import { Cells, type Stored } from '../../stores/cell.ts'
import { Lease, setIfAbsent } from '../../stores/lease.ts'
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
  /** The wait between probes while the wallet counts as empty. */
  readonly #waits: Cells<number | null>
  readonly #emptyKey: string
  readonly #probeKey: string
  /** What this process has learned and is still writing. Its next call does not have to wait for that. */
  #unwritten: { readonly isEmpty: boolean } | undefined
  /** The last known value of the probe key, and when this process first read it. */
  #seen: { readonly text: string; readonly at: number } | undefined

  constructor(setup: WalletSetup) {
    this.#setup = setup
    const { store, timing } = setup
    this.#waits = new Cells(store, { form: waitForm, ttlMs: memoryMs, persists: false, timing })
    this.#emptyKey = setup.key('empty')
    this.#probeKey = setup.key('probe')
  }

  /**
   * Returns `open` if the wallet is not known to be empty, a probe if the call may be sent as one, and otherwise how long
   * to wait, in milliseconds.
   */
  async enter(): Promise<'open' | Probe | number> {
    const { store, timing, probeAfterMs } = this.#setup
    if (this.#unwritten) return this.#unwritten.isEmpty ? probeAfterMs : 'open'
    for (let tries = 1; ; tries++) {
      const empty = await this.#waits.read(this.#emptyKey)
      const { value: waitMs } = empty
      if (waitMs === null) return 'open'
      const lease = await Lease.acquire({
        store,
        key: this.#probeKey,
        holder: `probe ${crypto.randomUUID()}`,
        ttlMs: leaseMs,
        timing,
        lost,
        onRenewed: () => this.#waits.replace(this.#emptyKey, empty, waitMs).catch(() => {}),
      })
      if (lease instanceof Lease) return this.#probe(lease.keep(), empty, waitMs)
      // The wait, or the other probe, may have ended in between.
      if (lease.found !== null || tries === maxTries) return this.#remainingMs(lease.found, waitMs)
    }
  }

  /** Records a 402. A wait that runs already is not extended. */
  close(): void {
    const { store, probeAfterMs } = this.#setup
    const pause = this.#pause(
      async (value) => (await setIfAbsent(store, this.#probeKey, { value, ttlMs: probeAfterMs })) === value,
    )
    const empty = this.#waits.replace(this.#emptyKey, { value: null, text: null }, probeAfterMs)
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
  async #pause(write: (text: string) => Promise<boolean>): Promise<void> {
    const text = `wait ${crypto.randomUUID()}`
    if (await write(text)) this.#note(text)
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

  #probe(lease: Lease, empty: Stored<number | null>, waitMs: number): Probe {
    // The lease is given up last, so that no other probe starts before the result is recorded.
    const reopen = async () => {
      const removing = this.#waits.replace(this.#emptyKey, empty, null)
      this.#learn(false, removing)
      await removing
      await lease.release()
    }
    const wait = async (nextMs: number) => {
      // A probe whose lease was lost may come after one that has found money.
      if (await this.#waits.replace(this.#emptyKey, empty, nextMs))
        await this.#pause((text) => lease.replaceBy(text, nextMs))
    }
    const record: { readonly [Result in ProbeResult]: () => Promise<unknown> } = {
      paid: reopen,
      unpaid: () => wait(Math.min(waitMs * 2, longestProbeMs)),
      unclear: () => wait(waitMs),
      unsent: () => lease.release(),
    }
    return {
      get isHeld() {
        return lease.isHeld
      },
      end: (result) => {
        lease.end()
        record[result]().catch(() => {})
      },
    }
  }
}

/** The probe goes on, because its result is worth recording. */
const lost = (cause?: unknown) => new StoreError({ message: 'the lease of a probe has ended', cause })

const waitForm = {
  encode: (_: string, waitMs: number | null) => (waitMs === null ? null : JSON.stringify({ waitMs })),
  decode: (_: string, text: string | null) => (text === null ? null : waitOf(text)),
}

/** A wait is never longer than documented, whatever another process has written. */
function waitOf(text: string): number {
  const { waitMs } = readRecord(text)
  if (typeof waitMs !== 'number' || !(waitMs > 0)) throw anotherValue()
  return Math.min(waitMs, longestProbeMs)
}
