import { retrieveBilling, type Subscription } from '../../contract/organization/billing.ts'
import {
  addMembers,
  deactivateMember,
  inviteMember,
  listMembers,
  reactivateMember,
  removeMember,
  resolveMember,
} from '../../contract/organization/members.ts'
import { memberRoles } from '../../contract/organization/roles.ts'
import { anyObject } from '../../contract/schema/schema.ts'
import type { EmulatedBilling } from '../model/options/roster-options.ts'
import { serviceError } from '../model/service-error.ts'
import type { ServiceState } from '../model/service-state.ts'
import { organizationApi } from './interface.ts'
import { type Operation, serve } from './operation.ts'

/** The contract does not document the type of this id. */
const organizationId = 1

const isRole = (role: string | undefined) => role === undefined || memberRoles.some((known) => known === role)

const isEmail = (text: string) => /^[^@\s]+@[^@\s]+$/.test(text)

/** Serves the roster (contract, sections 3.3 and 4.9). */
export function memberOperations({ roster, inviteLimit, settings }: ServiceState): Operation[] {
  const ref = (ids: Readonly<Record<string, string>>) => ids.member_id ?? ''

  return [
    serve(listMembers, () => ({
      members: roster.all().filter(({ role }) => role === 'member'),
      organization: { id: organizationId, name: settings.org.name },
    })),
    // Validation by the declared body would report a missing identifier as `invalid_request`, but it has its own code.
    serve({ ...resolveMember, body: anyObject }, ({ body: { svc_id, email } }) => {
      const identifiers = [svc_id, email].filter(Boolean)
      if (identifiers.length === 0) throw serviceError('missing_identifier')
      if (!identifiers.every((one) => typeof one === 'string'))
        throw organizationApi.invalid([{ field: svc_id ? 'svc_id' : 'email', message: 'must be a string' }])
      const match = identifiers.map((one) => roster.find(one)).find((member) => member !== undefined)
      return { found: match !== undefined, member: match ?? null }
    }),
    serve(addMembers, ({ body: { members, notify = true, invite = 'auto' }, origin }) => {
      const malformed = members.flatMap(({ email, role }, i) => [
        ...(isEmail(email) ? [] : [{ field: `members.${i}.email`, message: 'is not an email address' }]),
        ...(isRole(role) ? [] : [{ field: `members.${i}.role`, message: `must be ${memberRoles.join(' or ')}` }]),
      ])
      if (malformed.length > 0) throw organizationApi.invalid(malformed)
      return roster.add(members, { notify, invite, origin })
    }),
    serve(deactivateMember, ({ ids }) => roster.deactivate(ref(ids))),
    serve(removeMember, ({ ids, query }) => roster.remove(ref(ids), query.permanent ?? false)),
    serve(reactivateMember, ({ ids }) => roster.reactivate(ref(ids))),
    serve(inviteMember, ({ ids, origin }) => {
      const member = roster.find(ref(ids))
      if (member === undefined) throw serviceError('not_found')
      inviteLimit.take(member.member_id)
      return roster.invite(member.member_id, origin)
    }),
  ]
}

function subscriptionAt(now: Date, billing: EmulatedBilling): Subscription | null {
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
