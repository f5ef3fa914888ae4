import type { Id, Unlisted } from '../schema/open-types.ts'
import {
  anyObject,
  id,
  idOrNumber,
  maybe,
  maybeFlag,
  maybeText,
  open,
  type Schema,
  schema,
  schemaFor,
  untyped,
  wholeNumber,
} from '../schema/schema.ts'
import * as z from '../schema/zod.ts'
import type { memberRoles } from './roles.ts'

/**
 * A role that the contract lists (section 2.9).
 *
 * @useDeclaredType
 */
type KnownMemberRole = (typeof memberRoles)[number]

/**
 * The role of a member. Another role passes through.
 */
export type MemberRole = KnownMemberRole | Unlisted

/** Every status of a member that the contract lists (section 3.3). */
export const memberStatuses = ['invited', 'link_sent', 'active', 'deactivated'] as const

/**
 * A status that the contract lists (section 3.3).
 *
 * @useDeclaredType
 */
export type KnownMemberStatus = (typeof memberStatuses)[number]

/**
 * The status of a member (contract, section 3.3). Another status passes through.
 */
export type MemberStatus = KnownMemberStatus | Unlisted

/** The prefix of a member's public id (contract, section 2.9). */
export const memberIdPrefix = 'vmem_'

/** A member of an organization (contract, section 2.9). */
export interface Member {
  /** The number of the row. The stable id is `member_id`. */
  readonly id: number
  /** The stable public id: `vmem_` plus 24 hex digits. Equal to the `svc_org_member_id` claim of a login. */
  readonly member_id: Id<'member'>
  /** First name. Missing or `null` if it was not given. */
  readonly first_name?: string | null | undefined
  /** Last name. Missing or `null` if it was not given. */
  readonly last_name?: string | null | undefined
  /** The email address, to which invites are sent. */
  readonly email: string
  /** The role. */
  readonly role: MemberRole
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
  readonly invite_method: 'face' | 'email' | 'none' | Unlisted
  /** True if a deactivated member with this email was reactivated. */
  readonly reactivated?: boolean | null | undefined
}

/** A member that `add` left out. */
export interface SkippedMember {
  /** The email as you sent it. */
  readonly email: string
  /** The reason, such as `duplicate`. */
  readonly reason: 'duplicate' | Unlisted
}

/** The organization that owns the roster. */
export interface Organization {
  /** The organization's id. */
  readonly id: number | string
  /** Display name. */
  readonly name: string
}

/** The result of `members.list` (contract, section 4.9). */
export interface MemberList {
  /** The members with the role `member`. Other roles are not listed. */
  readonly members: Member[]
  /** The organization that the credentials belong to. */
  readonly organization: Organization
}

/** The result of `members.resolve` for a member who exists. */
type MemberFound = {
  /** The member exists. */
  readonly found: true
  /** The member, of any role. */
  readonly member: Member
}

/** The result of `members.resolve` for a member who does not exist. */
type MemberNotFound = {
  /** The member does not exist. */
  readonly found: false
  /** `null`, because there is no member. */
  readonly member: null
}

/** The result of `members.resolve` (contract, section 4.9). `found` discriminates the two. */
export type ResolvedMember = MemberFound | MemberNotFound

/** The result of `members.add` (contract, section 4.9). */
export interface AddResult {
  /** The members that were added or reactivated. */
  readonly created: AddedMember[]
  /** The members that were left out, each with the reason. */
  readonly skipped: SkippedMember[]
  /** True if invites were emailed. */
  readonly notified: boolean
}

/** The result of `members.remove` without `permanent`. The row is kept. */
type MemberDeactivated = {
  /** There is such a member. */
  readonly found: true
  /** The deactivated member. */
  readonly member: Member
  /** The row was not deleted. */
  readonly removed?: false | null | undefined
  /** The row still exists. */
  readonly already_removed?: false | null | undefined
}

/** The result of `members.remove` with `permanent: true`. */
type MemberRemoved = {
  /** There was such a member. */
  readonly found: true
  /** `null`, because the row no longer exists. */
  readonly member: null
  /** This call deleted the row. */
  readonly removed: true
  /** The row existed until this call. */
  readonly already_removed?: false | null | undefined
}

/** The result of `members.remove` if no member has the id. This is not an error. */
type NobodyRemoved = {
  /** Nobody was found: the row was deleted earlier, or the id is misspelled. The service does not say which. */
  readonly found: false
  /** `null`, because there is no such row. */
  readonly member: null
  /** This call deleted nothing. */
  readonly removed?: false | null | undefined
  /** The service's name for "there is no such row". */
  readonly already_removed: true
}

/**
 * The result of `members.remove` (contract, section 4.9). `found` is set by the client, and is false if no member has
 * the id.
 */
export type RemoveResult = MemberDeactivated | MemberRemoved | NobodyRemoved

/** A removal as the service reports it. */
export type Removal = Omit<Merged<RemoveResult>, 'found'>

/** The result of `members.invite` (contract, section 4.9). */
export interface InviteResult {
  /** The invited member. */
  readonly member: Member
  /** The new activation link. It replaces every earlier link. */
  readonly activation_link: string
}

/**
 * The fields of a union in one type. One schema describes them, and a rule excludes the combinations that do not occur.
 */
type Merged<Union> = Pick<Union, keyof Union>

const memberFields = () => ({
  id: wholeNumber(),
  member_id: id<'member'>(),
  first_name: maybeText(),
  last_name: maybeText(),
  email: z.string(),
  role: open<MemberRole>(),
  status: open<MemberStatus>(),
  svc_id: z.nullable(z.string()),
  active: z.boolean(),
  created_at: z.string(),
})

export const member = /* @__PURE__ */ schemaFor<Member>()(() => z.looseObject(memberFields()))

const addedMember = /* @__PURE__ */ schemaFor<AddedMember>()(() =>
  z.looseObject({
    ...memberFields(),
    activation_link: z.nullable(z.string()),
    invite_method: open<AddedMember['invite_method']>(),
    reactivated: maybeFlag(),
  }),
)

export const memberList = /* @__PURE__ */ schemaFor<MemberList>()(() =>
  z.looseObject({
    members: z.array(member.zod),
    organization: untyped(z.looseObject({ id: idOrNumber(), name: z.string() })),
  }),
)

/** The part of a roster that a plan is made from. */
export const readableRoster = /* @__PURE__ */ schema(() => z.looseObject({ members: z.array(anyObject.zod) }))

/** The part of a lookup that a plan is made from. */
export const readableLookup = /* @__PURE__ */ schema(() => z.looseObject({ member: maybe(anyObject.zod) }))

export const resolvedMember = /* @__PURE__ */ schemaFor<Merged<ResolvedMember>>()(() =>
  z.looseObject({ found: z.boolean(), member: z.nullable(member.zod) }).check(
    z.refine(({ found, member }) => found === (member !== null), {
      error: 'must be a member exactly if found is true',
      path: ['member'],
    }),
  ),
) as Schema<ResolvedMember>

export const addResult = /* @__PURE__ */ schemaFor<AddResult>()(() =>
  z.looseObject({
    created: z.array(addedMember.zod),
    skipped: z.array(untyped(z.looseObject({ email: z.string(), reason: open<SkippedMember['reason']>() }))),
    notified: z.boolean(),
  }),
)

export const removal = /* @__PURE__ */ schemaFor<Removal>()(() =>
  z
    .looseObject({
      member: z.nullable(member.zod),
      removed: maybeFlag(),
      already_removed: maybeFlag(),
    })
    .check(
      z.refine((result) => [result.member, result.removed, result.already_removed].filter(Boolean).length === 1, {
        error: 'must be a member unless removed or already_removed is true',
        path: ['member'],
      }),
    ),
)

export const inviteResult = /* @__PURE__ */ schemaFor<InviteResult>()(() =>
  z.looseObject({ member: member.zod, activation_link: z.string() }),
)
