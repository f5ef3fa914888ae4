import type { Saved } from './saved.ts'
import { ServiceError } from './service-error.ts'

/** One charge. */
export interface LedgerEntry {
  /** The charged operation, such as `checks.liveness`. */
  readonly operation: string
  /** The request's `Idempotency-Key`. Missing if it had none. */
  readonly idempotencyKey?: string
  /** The amount charged. */
  readonly amount: number
  /** Balance after the charge. */
  readonly balance: number
  /** The `X-Request-Id` of the charged request. */
  readonly requestId: string
  /** ISO 8601, by the emulator's clock. */
  readonly at: string
}

/** Rounds to a millionth, because sums of amounts such as 0.1 accumulate floating-point errors. */
const roundMoney = (amount: number) => Math.round(amount * 1e6) / 1e6

/** The balance that billable calls are charged to. */
export class EmulatedWallet {
  readonly ledger: LedgerEntry[]
  readonly #pricePerCall: number
  #balance: number

  constructor(
    { balance, pricePerCall }: { readonly balance: number; readonly pricePerCall: number },
    saved: Saved<EmulatedWallet> = { balance, ledger: [] },
  ) {
    this.#balance = saved.balance
    this.#pricePerCall = pricePerCall
    this.ledger = [...saved.ledger]
  }

  save(): { readonly balance: number; readonly ledger: readonly LedgerEntry[] } {
    return { balance: this.#balance, ledger: this.ledger }
  }

  get balance(): number {
    return this.#balance
  }

  /** Throws a 402 if the balance is less than the price of a call. */
  requireFunds(): void {
    if (this.#balance >= this.#pricePerCall) return
    // The contract documents the meaning of 402 (section 7), but no code for it. This code is the emulator's own.
    throw new ServiceError({
      status: 402,
      code: 'payment_required',
      message: 'The balance of the wallet is exhausted.',
    })
  }

  charge(call: Pick<LedgerEntry, 'operation' | 'idempotencyKey' | 'requestId' | 'at'>): void {
    this.#balance = roundMoney(this.#balance - this.#pricePerCall)
    this.ledger.push({ ...call, amount: this.#pricePerCall, balance: this.#balance })
  }
}
