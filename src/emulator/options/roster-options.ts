import type { Invoice } from '../../contract/organization/billing.ts'
import type { KnownMemberStatus, MemberRole } from '../../contract/organization/member-results.ts'
import { checkOptions, type OptionRules } from '../../errors/options.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { finiteNumber, nonBlankText } from './values.ts'

/** Values of the billing summary that do not follow from the roster. */
export interface EmulatorBillingOptions {
  /** Name of the plan. `null` before a plan exists. @default 'team' */
  readonly plan?: string | null | undefined
  /** Status of the subscription. The service documents no values. @default 'active' */
  readonly status?: string | undefined
  /**
   * Price of one seat, in `currency`.
   *
   * @default 5
   */
  readonly pricePerSeat?: number | undefined
  /** End of the trial, by the emulator's clock. @default no trial */
  readonly trialEndsAt?: Date | undefined
  /**
   * Time of the next charge.
   *
   * @default the beginning of the next month (UTC), by the emulator's clock
   */
  readonly currentPeriodEnd?: Date | undefined
  /**
   * Currency of all amounts.
   *
   * @default 'USD'
   */
  readonly currency?: string | undefined
  /**
   * Balance in the summary.
   *
   * @default 0
   */
  readonly balance?: number | undefined
  /**
   * Invoices so far.
   *
   * @default none
   */
  readonly invoices?: readonly Invoice[] | undefined
}

/** Options of the emulated organization. */
export interface EmulatorOrganizationOptions {
  /**
   * Client id that requests must send.
   *
   * @default 'emulator_client_id'
   */
  readonly clientId?: string | undefined
  /**
   * Client secret that requests must send.
   *
   * @default 'emulator_client_secret'
   */
  readonly clientSecret?: string | undefined
  /**
   * Name of the organization.
   *
   * @default 'Emulated organization'
   */
  readonly name?: string | undefined
  /** Values of the billing summary. @default see each of its options */
  readonly billing?: EmulatorBillingOptions | undefined
}

/** A member who is on the roster from the start. */
export interface EmulatorMember {
  /** Email address, unique on the roster. */
  readonly email: string
  /** First name. */
  readonly first_name?: string | undefined
  /** Last name. */
  readonly last_name?: string | undefined
  /**
   * Role in the organization.
   *
   * @default 'member'
   */
  readonly role?: MemberRole | undefined
  /**
   * Status of the membership.
   *
   * @default 'active'
   */
  readonly status?: KnownMemberStatus | undefined
  /** Id of the connected identity, or `null`. @default generated if the member is active or deactivated, else `null` */
  readonly svc_id?: string | null | undefined
}

/** The options with every default filled in. */
export interface OrganizationSettings {
  readonly clientId: string
  readonly clientSecret: string
  readonly name: string
  readonly billing: {
    readonly plan: string | null
    readonly status: string
    readonly pricePerSeat: number
    readonly trialEndsAt: Date | undefined
    readonly currentPeriodEnd: Date | undefined
    readonly currency: string
    readonly balance: number
    readonly invoices: readonly Invoice[]
  }
}

const organizationNames = {
  clientId: true,
  clientSecret: true,
  name: true,
  billing: true,
} satisfies OptionRules<EmulatorOrganizationOptions>

const billingNames = {
  plan: true,
  status: true,
  pricePerSeat: true,
  trialEndsAt: true,
  currentPeriodEnd: true,
  currency: true,
  balance: true,
  invoices: true,
} satisfies OptionRules<EmulatorBillingOptions>

const memberNames = {
  email: true,
  first_name: true,
  last_name: true,
  role: true,
  status: true,
  svc_id: true,
} satisfies OptionRules<EmulatorMember>

export function readOrganization(options: EmulatorOrganizationOptions): OrganizationSettings {
  checkOptions('createEmulator: org', options, organizationNames)
  const { billing = {} } = options
  checkOptions('createEmulator: org.billing', billing, billingNames)
  return {
    clientId: nonBlankText('org.clientId', options.clientId ?? 'emulator_client_id'),
    clientSecret: nonBlankText('org.clientSecret', options.clientSecret ?? 'emulator_client_secret'),
    name: nonBlankText('org.name', options.name ?? 'Emulated organization'),
    billing: {
      plan: billing.plan === undefined ? 'team' : billing.plan,
      status: billing.status ?? 'active',
      pricePerSeat: finiteNumber('org.billing.pricePerSeat', billing.pricePerSeat ?? 5),
      trialEndsAt: billing.trialEndsAt,
      currentPeriodEnd: billing.currentPeriodEnd,
      currency: billing.currency ?? 'USD',
      balance: finiteNumber('org.billing.balance', billing.balance ?? 0),
      invoices: billing.invoices ?? [],
    },
  }
}

export function readMembers(members: readonly EmulatorMember[]): readonly EmulatorMember[] {
  const names = new Set<string>()
  for (const member of members) {
    checkOptions('createEmulator: members', member, memberNames)
    const { email, svc_id } = member
    for (const name of [email.toLowerCase(), svc_id]) {
      if (name === undefined || name === null) continue
      if (names.has(nonBlankText('members', name)))
        throw new ConfigurationError({ message: `createEmulator: members: ${name} occurs more than once` })
      names.add(name)
    }
  }
  return members
}
