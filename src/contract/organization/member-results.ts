import * as z from 'zod/mini'
import { idOrNumber, maybeFlag, maybeText, open, untyped, wholeNumber } from '../schema/fields.ts'
import type { MoreFields, Open } from '../schema/open-types.ts'
import { schemaFor } from '../schema/schema.ts'
import type { memberRoles } from './roles.ts'

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

export const member = schemaFor<Member>()(() => z.looseObject(memberFields()))

const addedMember = schemaFor<AddedMember>()(() =>
  z.looseObject({
    ...memberFields(),
    activation_link: z.nullable(z.string()),
    invite_method: open<'face' | 'email' | 'none'>(),
    reactivated: maybeFlag(),
  }),
)

export const memberList = schemaFor<MemberList>()(() =>
  z.looseObject({
    members: z.array(member.zod),
    organization: untyped(z.looseObject({ id: idOrNumber(), name: z.string() })),
  }),
)

export const resolvedMember = schemaFor<ResolvedMember>()(() =>
  z.looseObject({ found: z.boolean(), member: z.nullable(member.zod) }),
)

export const addResult = schemaFor<AddResult>()(() =>
  z.looseObject({
    created: z.array(addedMember.zod),
    skipped: z.array(untyped(z.looseObject({ email: z.string(), reason: open<'duplicate'>() }))),
    notified: z.boolean(),
  }),
)

export const removeResult = schemaFor<RemoveResult>()(() =>
  z.looseObject({
    member: z.nullable(member.zod),
    removed: maybeFlag(),
    already_removed: maybeFlag(),
  }),
)

export const inviteResult = schemaFor<InviteResult>()(() =>
  z.looseObject({ member: member.zod, activation_link: z.string() }),
)
