import { type BillingSummary, retrieveBilling } from '../contract/organization/billing.ts'
import type { ApiPromise } from '../http/exchange/api-promise.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { RequestOptions } from '../http/params/options.ts'

/** The billing resource. Available as `org.billing`. */
export interface Billing {
  /**
   * Returns the plan, the seats, the estimated next charge, the balance and the invoices. Amounts are not rounded.
   * `subscription` is `null` before a plan exists.
   *
   * @example
   * const { seats, estimated_next_charge, currency } = await org.billing.retrieve()
   */
  retrieve(options?: RequestOptions): ApiPromise<BillingSummary>
}

export const createBilling = (http: HttpClient): Billing => ({
  retrieve: (options) => http.send(retrieveBilling, {}, options),
})
