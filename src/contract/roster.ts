import * as z from 'zod/mini'
import { type Endpoint, endpoint } from './endpoint.ts'
import {
  idOrNumber,
  type MoreFields,
  maybeFlag,
  maybeText,
  nonEmpty,
  type Open,
  open,
  schemaFor,
} from './fields.ts'
import { inviteMethods, memberRoles } from './roster-terms.ts'
import { listOf, oneOf, ruled, wholeNumber } from './rules.ts'
import { schema } from './schema.ts'

/**
 * What a member may do is not shown in the contract.
 *
 * @useDeclaredType
 */
export type MemberRole = (typeof memberRoles)[number]

export const memberStatuses = ['invited', 'link_sent', 'active', 'deactivated'] as const

/**
 * A status that the contract lists (section 3.3).
 *
 * @useDeclaredType
 */
export type KnownMemberStatus = (typeof memberStatuses)[number]

/**
 * Where a member stands (contract, section 3.3). Open: a status that is not listed passes through.
 */
export type MemberStatus = Open<KnownMemberStatus>

/**
 * How new members are invited.
 *
 * @useDeclaredType
 */
export type InviteMethod = (typeof inviteMethods)[number]

/** Members that one call takes (contract, section 8). */
export const membersPerCall = { min: 1, max: 500 } as const

/** Invites that may be sent again in one minute (contract, section 8). */
export const invitesPerMinute = 10

/** How a member's public id begins (contract, section 2.9). */
export const memberIdPrefix = 'vmem_'

/** A member of an organization (contract, section 2.9). */
export interface Member extends MoreFields {
  /** Numbers the row; `member_id` is the stable one. */
  readonly id: number
  /** Stable: `vmem_` and 24 hex digits. Equals the `svc_org_member_id` claim of a login. */
  readonly member_id: string
  /** Missing or `null` where nobody gave it. */
  readonly first_name?: string | null | undefined
  /** Missing or `null` where nobody gave it. */
  readonly last_name?: string | null | undefined
  /** Where invites go. */
  readonly email: string
  /** What each may do is not shown in the contract. */
  readonly role: Open<MemberRole>
  /** Where they stand. */
  readonly status: MemberStatus
  /** `null` until the member has connected their identity by face. */
  readonly svc_id: string | null
  /** Whether `status` is `active`. */
  readonly active: boolean
  /** ISO 8601 with its offset. */
  readonly created_at: string
}

/** A member as `add` returns it. */
export interface AddedMember extends Member {
  /** For face invites with `notify: false`, else `null`. Whoever has it can activate the member. */
  readonly activation_link: string | null
  /** How they were invited. */
  readonly invite_method: Open<'face' | 'email' | 'none'>
  /** True where a deactivated member with this email came back. */
  readonly reactivated?: boolean | null | undefined
}

/** An entry that `add` left out. */
export interface SkippedMember extends MoreFields {
  /** As it was given. */
  readonly email: string
  /** Such as `duplicate`. */
  readonly reason: Open<'duplicate'>
}

/** Whose roster it is. */
export interface Organization extends MoreFields {
  /** Number or text: its kind is not shown. */
  readonly id: number | string
  /** For people to read. */
  readonly name: string
}

/** What `members.list` answers (contract, section 4.9). */
export interface MemberList extends MoreFields {
  /** Those with the role `member` only. */
  readonly members: readonly Member[]
  /** The one that the credentials belong to. */
  readonly organization: Organization
}

/** What `members.resolve` answers (contract, section 4.9). */
export interface ResolvedMember extends MoreFields {
  /** Whether there is such a member. */
  readonly found: boolean
  /** `null` where there is none. */
  readonly member: Member | null
}

/** What `members.add` answers (contract, section 4.9). */
export interface AddResult extends MoreFields {
  /** Those who are new or came back. */
  readonly created: readonly AddedMember[]
  /** Those who were left out, each with the reason. */
  readonly skipped: readonly SkippedMember[]
  /** Whether invites were emailed. */
  readonly notified: boolean
}

/** What `members.remove` answers (contract, section 4.9). */
export interface RemoveResult extends MoreFields {
  /** The deactivated member; `null` where the row is gone. */
  readonly member: Member | null
  /** The row was deleted now. */
  readonly removed?: boolean | null | undefined
  /** There was nothing left to remove, which is a success. */
  readonly already_removed?: boolean | null | undefined
}

/** What `members.invite` answers (contract, section 4.9). */
export interface InviteResult extends MoreFields {
  /** Whom the invite is for. */
  readonly member: Member
  /** Replaces every earlier link. */
  readonly activation_link: string
}

/** Somebody to add. */
export interface NewMember {
  /** Where the invite goes; one member an address. */
  readonly email: string
  /** As the roster will show it. */
  readonly first_name?: string | undefined
  /** As the roster will show it. */
  readonly last_name?: string | undefined
  /**
   * What they are to be; what that allows is not shown.
   *
   * @default 'member'
   */
  readonly role?: MemberRole | undefined
}

/** Whom to add, and how to invite them (contract, section 4.9). */
export interface AddParams {
  /** 1 to 500. */
  readonly members: readonly NewMember[]
  /** Whether invites are emailed. With `false` face links are returned instead. @default true */
  readonly notify?: boolean | undefined
  /**
   * By what members are invited.
   *
   * @default 'auto'
   */
  readonly invite?: InviteMethod | undefined
}

/** Who is looked for: one of the two is needed. */
export type ResolveParams =
  | { readonly svc_id: string; readonly email?: string | undefined }
  | { readonly svc_id?: string | undefined; readonly email: string }

/** How far a removal goes (contract, section 4.9). */
export interface RemoveParams {
  /** Deletes the row instead of deactivating the member. The account stays. @default false */
  readonly permanent?: boolean | undefined
}

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

const memberFields = () => ({
  id: wholeNumber(),
  member_id: z.string(),
  first_name: maybeText(),
  last_name: maybeText(),
  email: z.string(),
  role: open<MemberRole>(),
  status: open<KnownMemberStatus>(),
  svc_id: z.nullable(z.string()),
  active: z.boolean(),
  created_at: z.string(),
})

const member = schemaFor<Member>()(() => z.looseObject(memberFields()))

const addedMember = schemaFor<AddedMember>()(() =>
  z.looseObject({
    ...memberFields(),
    activation_link: z.nullable(z.string()),
    invite_method: open<'face' | 'email' | 'none'>(),
    reactivated: maybeFlag(),
  }),
)

const memberList = schemaFor<MemberList>()(() =>
  z.looseObject({
    members: z.array(member.zod),
    organization: z.looseObject({ id: idOrNumber(), name: z.string() }),
  }),
)

const resolvedMember = schemaFor<ResolvedMember>()(() =>
  z.looseObject({ found: z.boolean(), member: z.nullable(member.zod) }),
)

const addResult = schemaFor<AddResult>()(() =>
  z.looseObject({
    created: z.array(addedMember.zod),
    skipped: z.array(z.looseObject({ email: z.string(), reason: open<'duplicate'>() })),
    notified: z.boolean(),
  }),
)

const removeResult = schemaFor<RemoveResult>()(() =>
  z.looseObject({
    member: z.nullable(member.zod),
    removed: maybeFlag(),
    already_removed: maybeFlag(),
  }),
)

const inviteResult = schemaFor<InviteResult>()(() =>
  z.looseObject({ member: member.zod, activation_link: z.string() }),
)

const billingSummary = schemaFor<BillingSummary>()(() =>
  z.looseObject({
    subscription: z.nullable(
      z.looseObject({
        plan: z.string(),
        status: z.string(),
        price_per_seat: z.number(),
        in_trial: z.boolean(),
        trial_ends_at: maybeText(),
        current_period_end: maybeText(),
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
        created_at: z.string(),
      }),
    ),
  }),
)

const addParams = schemaFor<AddParams>()(() =>
  z.looseObject({
    members: listOf(
      z.looseObject({
        email: nonEmpty(),
        first_name: z.optional(z.string()),
        last_name: z.optional(z.string()),
        role: z.optional(oneOf(memberRoles)),
      }),
      membersPerCall,
      `must hold ${membersPerCall.min} to ${membersPerCall.max} members`,
    ),
    notify: z.optional(z.boolean()),
    invite: z.optional(oneOf(inviteMethods)),
  }),
)

const resolveParams = schema(() =>
  ruled(
    z.looseObject({ svc_id: z.optional(nonEmpty()), email: z.optional(nonEmpty()) }),
    ({ svc_id, email }) => svc_id !== undefined || email !== undefined,
    'is required unless svc_id is given',
    ['email'],
  ),
)

const removeParams = schemaFor<RemoveParams>()(() => z.looseObject({ permanent: z.optional(z.boolean()) }))

const roster = { section: '4.9', replay: 'when-refused' } as const

export const listMembers = endpoint({
  ...roster,
  operation: 'members.list',
  method: 'GET',
  path: '/api/sdk/members',
  response: memberList,
  replay: 'safe',
})

export const resolveMember = endpoint({
  ...roster,
  operation: 'members.resolve',
  method: 'POST',
  path: '/api/sdk/members/resolve',
  body: resolveParams,
  response: resolvedMember,
  // A question, for all that it is a POST: asking again changes nothing.
  replay: 'safe',
  errors: ['missing_identifier'],
})

export const addMembers = endpoint({
  ...roster,
  operation: 'members.add',
  method: 'POST',
  path: '/api/sdk/members',
  body: addParams,
  response: addResult,
  errors: ['invalid_request'],
})

export const deactivateMember = endpoint({
  ...roster,
  operation: 'members.deactivate',
  method: 'PATCH',
  path: '/api/sdk/members/{member_id}/deactivate',
  response: member,
  unwrap: 'member',
  errors: ['not_found'],
})

export const removeMember = endpoint({
  ...roster,
  operation: 'members.remove',
  method: 'DELETE',
  path: '/api/sdk/members/{member_id}',
  query: removeParams,
  response: removeResult,
  replay: 'safe',
})

export const reactivateMember = endpoint({
  ...roster,
  operation: 'members.reactivate',
  method: 'PATCH',
  path: '/api/sdk/members/{member_id}/reactivate',
  response: member,
  unwrap: 'member',
  errors: ['not_found'],
})

export const inviteMember = endpoint({
  ...roster,
  operation: 'members.invite',
  method: 'POST',
  path: '/api/sdk/members/{member_id}/invite',
  response: inviteResult,
  errors: ['not_found', 'already_active', 'deactivated', 'rate_limited'],
})

export const retrieveBilling = endpoint({
  ...roster,
  operation: 'billing.retrieve',
  method: 'GET',
  path: '/api/sdk/billing',
  response: billingSummary,
  replay: 'safe',
})

/** Every operation of the organization API. */
export const organizationEndpoints: readonly Endpoint[] = [
  listMembers,
  resolveMember,
  addMembers,
  deactivateMember,
  removeMember,
  reactivateMember,
  inviteMember,
  retrieveBilling,
]
