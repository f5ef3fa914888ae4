import type { Endpoint, OperationFacts } from '../endpoint.ts'
import type { Id } from '../schema/open-types.ts'
import {
  isJsonObject,
  listOf,
  nonEmpty,
  oneOf,
  rule,
  schema,
  schemaFor,
  suggested,
  type Type,
} from '../schema/schema.ts'
import * as z from '../schema/zod.ts'
import { hiddenCharacter } from './email.ts'
import {
  addResult,
  inviteResult,
  type Member,
  type MemberRole,
  member,
  memberList,
  removal,
  resolvedMember,
} from './member-results.ts'
import { inviteMethods, membersPerCall } from './roles.ts'

/**
 * The way to invite new members.
 *
 * @useDeclaredType
 */
export type InviteMethod = (typeof inviteMethods)[number]

/** Invites that can be resent in one minute (contract, section 8). */
export const invitesPerMinute = 10

/**
 * Identifies a member: a `vmem_` id, an email, a `svc_id`, or a member that another method returned. The id of
 * something else, such as a session, does not compile.
 */
export type MemberRef = Id<'member'> | Pick<Member, 'member_id'>

/** A member to add. */
export interface NewMember {
  /** The email address, to which the invite is sent. One member per address. */
  readonly email: string
  /** First name, as shown in the roster. */
  readonly first_name?: string | undefined
  /** Last name, as shown in the roster. */
  readonly last_name?: string | undefined
  /**
   * The role.
   *
   * @default 'member'
   */
  readonly role?: MemberRole | (string & {}) | undefined
}

/** Params of `members.add` (contract, section 4.9). */
export interface AddParams {
  /** The members to add, 1 to 500. */
  readonly members: readonly NewMember[]
  /** Whether invites are emailed. With `false`, face links are returned instead. @default true */
  readonly notify?: boolean | undefined
  /**
   * The way to invite the members.
   *
   * @default 'auto'
   */
  readonly invite?: InviteMethod | undefined
}

/** Params of `members.resolve`. At least one of the two fields is required. */
export type ResolveParams =
  | { readonly svc_id: string; readonly email?: string | undefined }
  | { readonly svc_id?: string | undefined; readonly email: string }

/** Params of `members.remove` (contract, section 4.9). */
export interface RemoveParams {
  /** Deletes the row instead of deactivating the member. The account is never deleted. @default false */
  readonly permanent?: boolean | undefined
}

/** An email that is sent. The JSON Schema does not state these rules, because the contract does not. */
const sentEmail = () =>
  nonEmpty().check(
    rule(
      (text: string) => hiddenCharacter(text) === undefined,
      (text) => `must not contain ${hiddenCharacter(text)}, which is invisible. Type it again`,
      {},
    ),
    rule((text: string) => text === text.trim(), 'must not have spaces around it. Trim it', {}),
  )

const memberFields = (email: Type<string>) => ({
  email,
  first_name: z.optional(z.string()),
  last_name: z.optional(z.string()),
  role: z.optional(suggested<MemberRole>()),
})

/** A row of a desired roster. */
export const newMember = /* @__PURE__ */ schemaFor<NewMember>()(() => z.looseObject(memberFields(nonEmpty())))

const addParams = /* @__PURE__ */ schemaFor<AddParams>()(() =>
  z.looseObject({
    members: listOf(
      z.looseObject(memberFields(sentEmail())),
      membersPerCall,
      `must contain ${membersPerCall.min} to ${membersPerCall.max} members`,
    ),
    notify: z.optional(z.boolean()),
    invite: z.optional(oneOf(inviteMethods)),
  }),
)

const resolveParams = /* @__PURE__ */ schema(() =>
  z
    .looseObject({ svc_id: z.optional(nonEmpty()), email: z.optional(sentEmail()) })
    .check(
      rule(
        ({ svc_id, email }: { svc_id?: unknown; email?: unknown }) => svc_id !== undefined || email !== undefined,
        'is required unless svc_id is given',
        { anyOf: [{ required: ['svc_id'] }, { required: ['email'] }] },
        ['email'],
      ),
    ),
)

const removeParams = /* @__PURE__ */ schemaFor<RemoveParams>()(() =>
  z.looseObject({ permanent: z.optional(z.boolean()) }),
)

/** The contract shows these results as `{ member }`, and in one place as the member. Both become `{ member }`. */
const withMember = (data: unknown) =>
  isJsonObject(data) && typeof data.member_id === 'string' ? { member: data } : data

/** The service reports a misspelled id as a success. */
function withFound(data: unknown): unknown {
  const removal = withMember(data)
  return isJsonObject(removal)
    ? { ...removal, found: isJsonObject(removal.member) || removal.removed === true }
    : removal
}

export const listMembers = {
  operation: 'members.list',
  section: '4.9',
  method: 'GET',
  path: '/api/sdk/members',
  response: memberList,
  replay: 'safe',
} as const satisfies Endpoint

export const resolveMember = {
  operation: 'members.resolve',
  section: '4.9',
  errors: ['missing_identifier'],
  method: 'POST',
  path: '/api/sdk/members/resolve',
  body: resolveParams,
  response: resolvedMember,
  // A lookup, although it is a POST: a retry changes nothing.
  replay: 'safe',
} as const satisfies Endpoint

export const addMembers = {
  operation: 'members.add',
  section: '4.9',
  errors: ['invalid_request'],
  method: 'POST',
  path: '/api/sdk/members',
  body: addParams,
  successStatus: 201,
  response: addResult,
  replay: 'if-not-executed',
} as const satisfies Endpoint

export const deactivateMember = {
  operation: 'members.deactivate',
  section: '4.9',
  errors: ['not_found'],
  method: 'PATCH',
  path: '/api/sdk/members/{member_id}/deactivate',
  response: member,
  complete: withMember,
  unwrap: 'member',
  replay: 'if-not-executed',
} as const satisfies Endpoint

export const removeMember = {
  operation: 'members.remove',
  section: '4.9',
  method: 'DELETE',
  path: '/api/sdk/members/{member_id}',
  query: removeParams,
  response: removal,
  complete: withFound,
  replay: 'safe',
} as const satisfies Endpoint

export const reactivateMember = {
  operation: 'members.reactivate',
  section: '4.9',
  errors: ['not_found'],
  method: 'PATCH',
  path: '/api/sdk/members/{member_id}/reactivate',
  response: member,
  complete: withMember,
  unwrap: 'member',
  replay: 'if-not-executed',
} as const satisfies Endpoint

export const inviteMember = {
  operation: 'members.invite',
  section: '4.9',
  // The contract gives the limit and no response to the eleventh call: 429 is its category for rate limits (section 7).
  errors: ['not_found', 'already_active', 'deactivated', 'rate_limited'],
  method: 'POST',
  path: '/api/sdk/members/{member_id}/invite',
  response: inviteResult,
  replay: 'if-not-executed',
} as const satisfies Endpoint

/** The operations on members, as a type. */
export interface MemberOperations {
  readonly 'members.list': OperationFacts<'GET /api/sdk/members', never>
  readonly 'members.resolve': OperationFacts<'POST /api/sdk/members/resolve', 'missing_identifier'>
  readonly 'members.add': OperationFacts<'POST /api/sdk/members', 'invalid_request'>
  readonly 'members.deactivate': OperationFacts<'PATCH /api/sdk/members/{member_id}/deactivate', 'not_found'>
  readonly 'members.remove': OperationFacts<'DELETE /api/sdk/members/{member_id}', never>
  readonly 'members.reactivate': OperationFacts<'PATCH /api/sdk/members/{member_id}/reactivate', 'not_found'>
  readonly 'members.invite': OperationFacts<
    'POST /api/sdk/members/{member_id}/invite',
    'not_found' | 'already_active' | 'deactivated' | 'rate_limited'
  >
}

/** The operations on members. */
export const memberEndpoints = [
  listMembers,
  resolveMember,
  addMembers,
  deactivateMember,
  removeMember,
  reactivateMember,
  inviteMember,
] as const
