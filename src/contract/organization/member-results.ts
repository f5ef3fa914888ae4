import * as z from 'zod/mini'
import { idOrNumber, maybeFlag, maybeText, open, untyped, wholeNumber } from '../schema/fields.ts'
import type { MoreFields, OpenEnum } from '../schema/open-types.ts'
import { schemaFor } from '../schema/schema.ts'
import type { memberRoles } from './roles.ts'

/**
 * The role of a member. The contract does not say what each role may do.
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

/** The status of a member (contract, section 3.3). Open: a status that is not listed passes through. */
export type MemberStatus = OpenEnum<KnownMemberStatus>

/** The prefix of a member's public id (contract, section 2.9). */
export const memberIdPrefix = 'vmem_'

/** A member of an organization (contract, section 2.9). */
export interface Member extends MoreFields {
  /** The number of the row. The stable id is `member_id`. */
  readonly id: number
  /** The stable public id: `vmem_` plus 24 hex digits. Equal to the `svc_org_member_id` claim of a login. */
  readonly member_id: string
  /** First name. Missing or `null` if it was not given. */
  readonly first_name?: string | null | undefined
  /** Last name. Missing or `null` if it was not given. */
  readonly last_name?: string | null | undefined
  /** The email address, to which invites are sent. */
  readonly email: string
  /** The role. The contract does not say what each role may do. */
  readonly role: OpenEnum<MemberRole>
  /** The status of the membership. */
  readonly status: MemberStatus
  /** The id of the person's identity. `null` until the member connects it by face. */
  readonly svc_id: string | null
  /** True if `status` is `active`. */
  readonly active: boolean
  /** When the member was created, ISO 8601 with an offset. */
  readonly created_at: string
}

/** A member as returned by `add`. */
export interface AddedMember extends Member {
  /**
   * The activation link of a face invite with `notify: false`, otherwise `null`. Anyone who has the link can activate
   * the member.
   */
  readonly activation_link: string | null
  /** How the member was invited. */
  readonly invite_method: OpenEnum<'face' | 'email' | 'none'>
  /** True if a deactivated member with this email was reactivated. */
  readonly reactivated?: boolean | null | undefined
}

/** A member that `add` left out. */
export interface SkippedMember extends MoreFields {
  /** The email as you sent it. */
  readonly email: string
  /** The reason, such as `duplicate`. */
  readonly reason: OpenEnum<'duplicate'>
}

/** The organization that owns the roster. */
export interface Organization extends MoreFields {
  /** The organization's id. The contract does not say whether it is a number or a string. */
  readonly id: number | string
  /** Display name. */
  readonly name: string
}

/** The result of `members.list` (contract, section 4.9). */
export interface MemberList extends MoreFields {
  /** The members with the role `member`. Other roles are not listed. */
  readonly members: readonly Member[]
  /** The organization that the credentials belong to. */
  readonly organization: Organization
}

/** The result of `members.resolve` (contract, section 4.9). */
export interface ResolvedMember extends MoreFields {
  /** True if the member exists. */
  readonly found: boolean
  /** The member. `null` if there is none. */
  readonly member: Member | null
}

/** The result of `members.add` (contract, section 4.9). */
export interface AddResult extends MoreFields {
  /** The members that were added or reactivated. */
  readonly created: readonly AddedMember[]
  /** The members that were left out, each with the reason. */
  readonly skipped: readonly SkippedMember[]
  /** True if invites were emailed. */
  readonly notified: boolean
}

/** The result of `members.remove` (contract, section 4.9). */
export interface RemoveResult extends MoreFields {
  /** The deactivated member. `null` if the row no longer exists. */
  readonly member: Member | null
  /** True if this call deleted the row. */
  readonly removed?: boolean | null | undefined
  /** True if the row was gone already. This is a success. */
  readonly already_removed?: boolean | null | undefined
}

/** The result of `members.invite` (contract, section 4.9). */
export interface InviteResult extends MoreFields {
  /** The invited member. */
  readonly member: Member
  /** The new activation link. It replaces every earlier link. */
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
