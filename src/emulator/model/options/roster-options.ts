import * as z from 'zod/mini'
import type { Invoice } from '../../../contract/organization/billing.ts'
import {
  type KnownMemberStatus,
  type MemberRole,
  memberStatuses,
} from '../../../contract/organization/member-results.ts'
import { open } from '../../../contract/schema/schema.ts'
import { credential, listOf, text, unique } from './fields.ts'

/** Values of the billing summary that do not follow from the roster. */
export interface EmulatorBillingOptions {
  /** Name of the plan. `null` before a plan exists. @default 'team' */
  readonly plan?: string | null | undefined
  /** Status of the subscription. @default 'active' */
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

/** A time. JSON has none, so a text in ISO 8601 stands for it there. */
const time = z.pipe(
  z.custom<Date | string>((value) => !Number.isNaN(new Date(value as string).getTime()), {
    error: 'must be a time in ISO 8601',
  }),
  z.transform((value) => new Date(value)),
)

const invoice = z.strictObject({
  period: z.string(),
  seats: z.number(),
  amount: z.number(),
  created_at: z.string(),
} satisfies Record<keyof Invoice, unknown>)

const billing = z.strictObject({
  plan: z._default(z.nullable(z.string()), 'team'),
  status: z._default(z.string(), 'active'),
  pricePerSeat: z._default(z.number(), 5),
  trialEndsAt: z.optional(time),
  currentPeriodEnd: z.optional(time),
  currency: z._default(z.string(), 'USD'),
  balance: z._default(z.number(), 0),
  invoices: z._default(listOf(invoice), []),
} satisfies Record<keyof EmulatorBillingOptions, unknown>)

export const organization = z.strictObject({
  clientId: z._default(credential, 'emulator_client_id'),
  clientSecret: z._default(credential, 'emulator_client_secret'),
  name: z._default(text, 'Emulated organization'),
  billing: z.prefault(billing, {}),
} satisfies Record<keyof EmulatorOrganizationOptions, unknown>)

export type EmulatedBilling = z.output<typeof billing>

const member = z.strictObject({
  email: text,
  first_name: z.optional(z.string()),
  last_name: z.optional(z.string()),
  role: z.optional(open<MemberRole>()),
  status: z.optional(z.enum(memberStatuses)),
  svc_id: z.optional(z.nullable(text)),
} satisfies Record<keyof EmulatorMember, unknown>)

export const members = listOf(member).check(
  unique(({ email }: EmulatorMember) => email.toLowerCase(), 'must each have an email of their own'),
  unique(({ svc_id }: EmulatorMember) => svc_id, 'must each have a svc_id of their own'),
)
