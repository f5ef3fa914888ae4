import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { maybe, untyped } from '../schema/fields.ts'
import type { MoreFields } from '../schema/open-types.ts'
import { schemaFor } from '../schema/schema.ts'

/** The organization's plan (contract, section 2.10). */
export interface Subscription extends MoreFields {
  /** Its values are not shown. */
  readonly plan: string
  /** Its values are not shown. */
  readonly status: string
  /** In the summary's `currency`. */
  readonly price_per_seat: number
  /** Whether nothing is charged yet. */
  readonly in_trial: boolean
  /** A timestamp, where there is one. */
  readonly trial_ends_at?: string | null | undefined
  /** A timestamp, where there is one. */
  readonly current_period_end?: string | null | undefined
}

/** What one month cost (contract, section 2.10). */
export interface Invoice extends MoreFields {
  /** `YYYY-MM`. */
  readonly period: string
  /** As many as were counted for it. */
  readonly seats: number
  /** In the summary's `currency`. */
  readonly amount: number
  /** A timestamp. */
  readonly created_at: string
}

/** What the organization pays (contract, section 2.10). Numbers are as the service sent them, unrounded. */
export interface BillingSummary extends MoreFields {
  /** `null` before there is a plan. */
  readonly subscription: Subscription | null
  /** Active members. */
  readonly seats: number
  /** Seats times the price of one. */
  readonly estimated_next_charge: number
  /** Of every amount here. */
  readonly currency: string
  /** Of what is not shown. */
  readonly balance: number
  /** One a month. */
  readonly invoices: readonly Invoice[]
}

const billingSummary = schemaFor<BillingSummary>()(() =>
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
    seats: z.number(),
    estimated_next_charge: z.number(),
    currency: z.string(),
    balance: z.number(),
    invoices: z.array(
      z.looseObject({
        period: z.string(),
        seats: z.number(),
        amount: z.number(),
        created_at: untyped(z.string()),
      }),
    ),
  }),
)

export const retrieveBilling = endpoint({
  operation: 'billing.retrieve',
  section: '4.9',
  method: 'GET',
  path: '/api/sdk/billing',
  response: billingSummary,
  replay: 'safe',
})
