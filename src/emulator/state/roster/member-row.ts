import type { KnownMemberStatus, Member, MemberRole } from '../../../contract/organization/member-results.ts'

/** A member as the roster keeps them. */
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
  /** Last segment of the activation link that counts; `undefined` where there is none. */
  token: string | undefined
}

/** Emails that differ in case alone are one: people do not tell them apart. */
export const emailKey = (email: string) => email.toLowerCase()

/** With its offset, as the contract shows it (section 2.9). */
const timestamp = (date: Date) => date.toISOString().replace(/\.\d+Z$/, '+00:00')

/** As the organization API shows them (contract, section 2.9). */
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
