import * as z from 'zod/mini'
import { endpoint } from '../endpoint.ts'
import { nonEmpty, oneOf } from '../schema/fields.ts'
import { schema, schemaFor } from '../schema/schema.ts'
import {
  addResult,
  inviteResult,
  type MemberRole,
  member,
  memberList,
  removeResult,
  resolvedMember,
} from './member-results.ts'
import { inviteMethods, memberRoles } from './roles.ts'

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

const memberCount = `must contain ${membersPerCall.min} to ${membersPerCall.max} members`

const addParams = schemaFor<AddParams>()(() =>
  z.looseObject({
    members: z
      .array(
        z.looseObject({
          email: nonEmpty(),
          first_name: z.optional(z.string()),
          last_name: z.optional(z.string()),
          role: z.optional(oneOf(memberRoles)),
        }),
      )
      .check(z.minLength(membersPerCall.min, memberCount), z.maxLength(membersPerCall.max, memberCount)),
    notify: z.optional(z.boolean()),
    invite: z.optional(oneOf(inviteMethods)),
  }),
)

const resolveParams = schema(() =>
  z.looseObject({ svc_id: z.optional(nonEmpty()), email: z.optional(nonEmpty()) }).check(
    z.refine(({ svc_id, email }) => svc_id !== undefined || email !== undefined, {
      error: 'is required unless svc_id is given',
      path: ['email'],
    }),
  ),
)

const removeParams = schemaFor<RemoveParams>()(() => z.looseObject({ permanent: z.optional(z.boolean()) }))

export const listMembers = endpoint({
  operation: 'members.list',
  section: '4.9',
  method: 'GET',
  path: '/api/sdk/members',
  response: memberList,
  replay: 'safe',
})

export const resolveMember = endpoint({
  operation: 'members.resolve',
  section: '4.9',
  errors: ['missing_identifier'],
  method: 'POST',
  path: '/api/sdk/members/resolve',
  body: resolveParams,
  response: resolvedMember,
  // A question, for all that it is a POST: asking again changes nothing.
  replay: 'safe',
})

export const addMembers = endpoint({
  operation: 'members.add',
  section: '4.9',
  errors: ['invalid_request'],
  method: 'POST',
  path: '/api/sdk/members',
  body: addParams,
  response: addResult,
  replay: 'if-not-executed',
})

export const deactivateMember = endpoint({
  operation: 'members.deactivate',
  section: '4.9',
  errors: ['not_found'],
  method: 'PATCH',
  path: '/api/sdk/members/{member_id}/deactivate',
  response: member,
  unwrap: 'member',
  replay: 'if-not-executed',
})

export const removeMember = endpoint({
  operation: 'members.remove',
  section: '4.9',
  method: 'DELETE',
  path: '/api/sdk/members/{member_id}',
  query: removeParams,
  response: removeResult,
  replay: 'safe',
})

export const reactivateMember = endpoint({
  operation: 'members.reactivate',
  section: '4.9',
  errors: ['not_found'],
  method: 'PATCH',
  path: '/api/sdk/members/{member_id}/reactivate',
  response: member,
  unwrap: 'member',
  replay: 'if-not-executed',
})

export const inviteMember = endpoint({
  operation: 'members.invite',
  section: '4.9',
  errors: ['not_found', 'already_active', 'deactivated', 'rate_limited'],
  method: 'POST',
  path: '/api/sdk/members/{member_id}/invite',
  response: inviteResult,
  replay: 'if-not-executed',
})
