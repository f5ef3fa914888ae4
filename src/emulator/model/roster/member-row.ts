import type { KnownMemberStatus, Member, MemberRole } from '../../../contract/organization/member-results.ts'

/** A member as stored in the roster. */
export interface MemberRow {
  readonly id: number
  readonly memberId: string
  readonly email: string
  readonly createdAt: Date
  firstName: string | null
  lastName: string | null
  role: MemberRole
  status: KnownMemberStatus
  svcId: string | null
  /** Token of the current activation link, or `undefined` if there is none. */
  token: string | undefined
}

/** Returns the key of an email. Emails that differ only in case are equal. */
export const emailKey = (email: string) => email.toLowerCase()

/** Formats a timestamp with its offset (contract, section 2.9). */
const timestamp = (date: Date) => date.toISOString().replace(/\.\d+Z$/, '+00:00')

/** Converts a row to the member of the organization API (contract, section 2.9). */
export const toMember = (row: MemberRow): Member => ({
  id: row.id,
  member_id: row.memberId,
  first_name: row.firstName,
  last_name: row.lastName,
  email: row.email,
  role: row.role,
  status: row.status,
  svc_id: row.svcId,
  active: row.status === 'active',
  created_at: timestamp(row.createdAt),
})
