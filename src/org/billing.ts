import { type BillingSummary, retrieveBilling } from '../contract/organization/billing.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { RequestOptions } from '../http/params/options.ts'

/** What the organization pays. Reached as `org.billing`. */
export class Billing {
  readonly #http: HttpClient

  /** @internal */
  constructor(http: HttpClient) {
    this.#http = http
  }

  /**
   * Reads plan, seats, the estimated next charge, balance and invoices. Amounts are as the service sent them,
   * unrounded; `subscription` is `null` before there is a plan.
   *
   * @see service contract, sections 2.10 and 4.9
   *
   * @example
   * const { seats, estimated_next_charge, currency } = await org.billing.retrieve()
   */
  retrieve(options?: RequestOptions): ApiPromise<BillingSummary> {
    return this.#http.send(retrieveBilling, {}, options)
  }
}
