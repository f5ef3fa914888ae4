import type { Invoice } from '../../contract/organization/billing.ts'
import type { KnownMemberStatus, MemberRole } from '../../contract/organization/member-results.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'

/** When `members.add` returns the links of face invites: the contract says both (sections 2.9 and 3.3). */
export type ActivationLinkRule = 'unless_notified' | 'always'

/** Of what a minute takes 10 invites: the contract does not say (section 8). */
export type InviteLimitRule = 'per_member' | 'overall'

/** What `billing.retrieve` says, beside what follows from the roster. */
export interface EmulatorBillingOptions {
  /** `null`: there is no plan yet. @default 'team' */
  readonly plan?: string | null | undefined
  /** Values other than this one are not shown in the contract. @default 'active' */
  readonly status?: string | undefined
  /**
   * In `currency`.
   *
   * @default 5
   */
  readonly pricePerSeat?: number | undefined
  /** The organization is in its trial until then, by the emulator's clock. @default never in a trial */
  readonly trialEndsAt?: Date | undefined
  /**
   * When the next charge is due.
   *
   * @default the beginning of the next month (UTC), by the emulator's clock
   */
  readonly currentPeriodEnd?: Date | undefined
  /**
   * Of every amount.
   *
   * @default 'USD'
   */
  readonly currency?: string | undefined
  /**
   * What the summary says is there.
   *
   * @default 0
   */
  readonly balance?: number | undefined
  /**
   * What was charged so far.
   *
   * @default none
   */
  readonly invoices?: readonly Invoice[] | undefined
}

/** The organization whose roster is kept. */
export interface EmulatorOrganizationOptions {
  /**
   * What requests must carry.
   *
   * @default 'emulator_client_id'
   */
  readonly clientId?: string | undefined
  /**
   * What requests must carry.
   *
   * @default 'emulator_client_secret'
   */
  readonly clientSecret?: string | undefined
  /**
   * For people to read.
   *
   * @default 'Emulated organization'
   */
  readonly name?: string | undefined
  /** What it pays. @default see each of its options */
  readonly billing?: EmulatorBillingOptions | undefined
  /**
   * When `members.add` returns links.
   *
   * @default 'unless_notified'
   */
  readonly activationLinks?: ActivationLinkRule | undefined
  /**
   * Of what a minute takes 10 invites.
   *
   * @default 'per_member'
   */
  readonly inviteLimit?: InviteLimitRule | undefined
}

/** Somebody who is on the roster from the first moment. */
export interface EmulatorMember {
  /** One member an address. */
  readonly email: string
  /** As the roster will show it. */
  readonly first_name?: string | undefined
  /** As the roster will show it. */
  readonly last_name?: string | undefined
  /**
   * What they are.
   *
   * @default 'member'
   */
  readonly role?: MemberRole | undefined
  /**
   * Where they stand.
   *
   * @default 'active'
   */
  readonly status?: KnownMemberStatus | undefined
  /** `null`: no identity. @default one of its own for `active` and `deactivated`, else `null` */
  readonly svc_id?: string | null | undefined
}

/** The options with every default filled in. */
export interface OrganizationSettings {
  readonly clientId: string
  readonly clientSecret: string
  readonly name: string
  readonly activationLinks: ActivationLinkRule
  readonly inviteLimit: InviteLimitRule
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

export function readOrganization(options: EmulatorOrganizationOptions): OrganizationSettings {
  const { billing = {} } = options
  return {
    clientId: text('org.clientId', options.clientId ?? 'emulator_client_id'),
    clientSecret: text('org.clientSecret', options.clientSecret ?? 'emulator_client_secret'),
    name: text('org.name', options.name ?? 'Emulated organization'),
    activationLinks: options.activationLinks ?? 'unless_notified',
    inviteLimit: options.inviteLimit ?? 'per_member',
    billing: {
      plan: billing.plan === undefined ? 'team' : billing.plan,
      status: billing.status ?? 'active',
      pricePerSeat: number('org.billing.pricePerSeat', billing.pricePerSeat ?? 5),
      trialEndsAt: billing.trialEndsAt,
      currentPeriodEnd: billing.currentPeriodEnd,
      currency: billing.currency ?? 'USD',
      balance: number('org.billing.balance', billing.balance ?? 0),
      invoices: billing.invoices ?? [],
    },
  }
}

export function readMembers(members: readonly EmulatorMember[]): readonly EmulatorMember[] {
  const taken = new Set<string>()
  for (const { email, svc_id } of members)
    for (const name of [email.toLowerCase(), svc_id]) {
      if (name === undefined || name === null) continue
      if (taken.has(text('members', name))) throw new ConfigurationError(`members: ${name} is there twice`)
      taken.add(name)
    }
  return members
}

function text(name: string, value: string): string {
  if (value.trim() === '') throw new ConfigurationError(`${name} must not be blank`)
  return value
}

function number(name: string, value: number): number {
  if (!Number.isFinite(value)) throw new ConfigurationError(`${name} must be a finite number`)
  return value
}
