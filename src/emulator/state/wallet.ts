import { ServiceError } from '../server/service-error.ts'

/** One charged call. */
export interface LedgerEntry {
  /** Such as `checks.liveness`. */
  readonly operation: string
  /** Missing when the call carried no `Idempotency-Key`. */
  readonly idempotencyKey?: string
  /** What was charged. */
  readonly amount: number
  /** What was left after the charge. */
  readonly balance: number
  /** The request that was charged. */
  readonly requestId: string
  /** ISO 8601, by the emulator's clock. */
  readonly at: string
}

/** Sums of prices such as 0.1 would drift: money is kept to a millionth. */
const money = (amount: number) => Math.round(amount * 1e6) / 1e6

/** What billable calls are paid from. */
export class Wallet {
  readonly ledger: LedgerEntry[] = []
  readonly #pricePerCall: number
  #balance: number

  constructor({ balance, pricePerCall }: { readonly balance: number; readonly pricePerCall: number }) {
    this.#balance = balance
    this.#pricePerCall = pricePerCall
  }

  get balance(): number {
    return this.#balance
  }

  /** Throws 402 unless the next call can be paid. */
  requireFunds(): void {
    if (this.#balance >= this.#pricePerCall) return
    // The contract gives 402 its meaning (section 7) and no code: this one is ours, and says no more than that.
    throw new ServiceError({
      status: 402,
      code: 'payment_required',
      message: 'The balance of the wallet is exhausted.',
    })
  }

  charge(call: Pick<LedgerEntry, 'operation' | 'idempotencyKey' | 'requestId' | 'at'>): void {
    this.#balance = money(this.#balance - this.#pricePerCall)
    this.ledger.push({ ...call, amount: this.#pricePerCall, balance: this.#balance })
  }
}
