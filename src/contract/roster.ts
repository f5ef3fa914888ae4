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

/** What a member may do is not shown in the contract. */
export type MemberRole = (typeof memberRoles)[number]

export const memberStatuses = ['invited', 'link_sent', 'active', 'deactivated'] as const

/** Where a member stands (contract, section 3.3). Open: a status that is not listed passes through. */
export type MemberStatus = Open<(typeof memberStatuses)[number]>

/** How new members are invited. */
export type InviteMethod = (typeof inviteMethods)[number]

/** Members that one call takes (contract, section 8). */
export const membersPerCall = { min: 1, max: 500 } as const

/** Invites that may be sent again in one minute (contract, section 8). */
export const invitesPerMinute = 10

/** How a member's public id begins (contract, section 2.9). */
export const memberIdPrefix = 'vmem_'

/** A member of an organization (contract, section 2.9). */
export interface Member extends MoreFields {
  readonly id: number
  /** Stable: `vmem_` and 24 hex digits. Equals the `svc_org_member_id` claim of a login. */
  readonly member_id: string
  readonly first_name?: string | null | undefined
  readonly last_name?: string | null | undefined
  readonly email: string
  readonly role: Open<MemberRole>
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
  readonly invite_method: Open<'face' | 'email' | 'none'>
  /** True where a deactivated member with this email came back. */
  readonly reactivated?: boolean | null | undefined
}

/** An entry that `add` left out. */
export interface SkippedMember extends MoreFields {
  readonly email: string
  /** Such as `duplicate`. */
  readonly reason: Open<'duplicate'>
}

export interface Organization extends MoreFields {
  readonly id: number | string
  readonly name: string
}

export interface MemberList extends MoreFields {
  /** Those with the role `member` only. */
  readonly members: readonly Member[]
  readonly organization: Organization
}

export interface ResolvedMember extends MoreFields {
  readonly found: boolean
  readonly member: Member | null
}

export interface AddResult extends MoreFields {
  readonly created: readonly AddedMember[]
  readonly skipped: readonly SkippedMember[]
  readonly notified: boolean
}

export interface RemoveResult extends MoreFields {
  /** The deactivated member; `null` where the row is gone. */
  readonly member: Member | null
  /** The row was deleted now. */
  readonly removed?: boolean | null | undefined
  /** There was nothing left to remove, which is a success. */
  readonly already_removed?: boolean | null | undefined
}

export interface InviteResult extends MoreFields {
  readonly member: Member
  /** Replaces every earlier link. */
  readonly activation_link: string
}

/** Somebody to add. */
export interface NewMember {
  readonly email: string
  readonly first_name?: string | undefined
  readonly last_name?: string | undefined
  /** @default 'member' */
  readonly role?: MemberRole | undefined
}

export interface AddParams {
  /** 1 to 500. */
  readonly members: readonly NewMember[]
  /** Whether invites are emailed. With `false` face links are returned instead. @default true */
  readonly notify?: boolean | undefined
  /** @default 'auto' */
  readonly invite?: InviteMethod | undefined
}

/** Who is looked for: one of the two is needed. */
export type ResolveParams =
  | { readonly svc_id: string; readonly email?: string | undefined }
  | { readonly svc_id?: string | undefined; readonly email: string }

export interface RemoveParams {
  /** Deletes the row instead of deactivating the member. The account stays. @default false */
  readonly permanent?: boolean | undefined
}

export interface Subscription extends MoreFields {
  readonly plan: string
  readonly status: string
  readonly price_per_seat: number
  readonly in_trial: boolean
  readonly trial_ends_at?: string | null | undefined
  readonly current_period_end?: string | null | undefined
}

export interface Invoice extends MoreFields {
  /** `YYYY-MM`. */
  readonly period: string
  readonly seats: number
  readonly amount: number
  readonly created_at: string
}

/** What the organization pays (contract, section 2.10). Numbers are as the service sent them, unrounded. */
export interface BillingSummary extends MoreFields {
  /** `null` before there is a plan. */
  readonly subscription: Subscription | null
  /** Active members. */
  readonly seats: number
  readonly estimated_next_charge: number
  readonly currency: string
  readonly balance: number
  readonly invoices: readonly Invoice[]
}

const memberFields = () => ({
  id: wholeNumber(),
  member_id: z.string(),
  first_name: maybeText(),
  last_name: maybeText(),
  email: z.string(),
  role: open<MemberRole>(),
  status: open<(typeof memberStatuses)[number]>(),
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
