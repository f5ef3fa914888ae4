import { retrieveBilling, type Subscription } from '../../contract/organization/billing.ts'
import type { Billing } from '../model/options/roster-options.ts'
import type { ServiceState } from '../model/service-state.ts'
import { type Operation, serve } from './operation.ts'

function subscriptionAt(now: Date, billing: Billing): Subscription | null {
  const { plan, status, pricePerSeat, trialEndsAt, currentPeriodEnd } = billing
  if (plan === null) return null
  const nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1))
  return {
    plan,
    status,
    price_per_seat: pricePerSeat,
    in_trial: trialEndsAt !== undefined && now < trialEndsAt,
    trial_ends_at: trialEndsAt?.toISOString() ?? null,
    current_period_end: (currentPeriodEnd ?? nextMonth).toISOString(),
  }
}

/** Serves the billing summary (contract, sections 2.10 and 4.9). */
export function billingOperations({ roster, clock, settings }: ServiceState): Operation[] {
  const { billing } = settings.org
  return [
    serve(retrieveBilling, () => {
      const subscription = subscriptionAt(clock.now(), billing)
      const seats = roster.all().filter(({ active }) => active).length
      return {
        subscription,
        seats,
        estimated_next_charge: seats * (subscription?.price_per_seat ?? 0),
        currency: billing.currency,
        balance: billing.balance,
        invoices: billing.invoices,
      }
    }),
  ]
}
