import type { Endpoint, OperationFacts } from '../endpoint.ts'
import { maybe, schemaFor, statedInteger, untyped } from '../schema/schema.ts'
import * as z from '../schema/zod.ts'

/** The organization's plan (contract, section 2.10). */
export interface Subscription {
  /** The plan. */
  readonly plan: string
  /** The status of the plan. */
  readonly status: string
  /** The price of one seat, in the summary's `currency`. */
  readonly price_per_seat: number
  /** True during the trial. */
  readonly in_trial: boolean
  /** When the trial ends, if there is one. */
  readonly trial_ends_at?: string | null | undefined
  /** When the current period ends, if there is one. */
  readonly current_period_end?: string | null | undefined
}

/** The invoice of one month (contract, section 2.10). */
export interface Invoice {
  /** The month, `YYYY-MM`. */
  readonly period: string
  /** The number of seats that were charged. */
  readonly seats: number
  /** The amount, in the summary's `currency`. */
  readonly amount: number
  /** When the invoice was created. */
  readonly created_at: string
}

/** The billing of an organization (contract, section 2.10). Numbers are not rounded. */
export interface BillingSummary {
  /** The plan. `null` before a plan exists. */
  readonly subscription: Subscription | null
  /** The number of active members. */
  readonly seats: number
  /** The next charge: seats times the price of one seat. */
  readonly estimated_next_charge: number
  /** The currency of all amounts. */
  readonly currency: string
  /** The balance. */
  readonly balance: number
  /** The invoices, one per month. */
  readonly invoices: Invoice[]
}

const billingSummary = /* @__PURE__ */ schemaFor<BillingSummary>()(() =>
  z.looseObject({
    subscription: z.nullable(
      z.looseObject({
        plan: untyped(z.string()),
        status: untyped(z.string()),
        price_per_seat: z.number(),
        in_trial: z.boolean(),
        trial_ends_at: maybe(untyped(z.string())),
        current_period_end: maybe(untyped(z.string())),
      }),
    ),
    seats: statedInteger(),
    estimated_next_charge: z.number(),
    currency: z.string(),
    balance: z.number(),
    invoices: z.array(
      z.looseObject({
        period: z.string(),
        seats: statedInteger(),
        amount: z.number(),
        created_at: untyped(z.string()),
      }),
    ),
  }),
)

export const retrieveBilling = {
  operation: 'billing.retrieve',
  section: '4.9',
  method: 'GET',
  path: '/api/sdk/billing',
  response: billingSummary,
  replay: 'safe',
} as const satisfies Endpoint

/** The operations on billing, as a type. */
export interface BillingOperations {
  readonly 'billing.retrieve': OperationFacts<'GET /api/sdk/billing', never>
}

/** The operations on billing. */
export const billingEndpoints = [retrieveBilling] as const
