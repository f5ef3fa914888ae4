import type { MemberRef } from '../contract/organization/members.ts'

/** Returns the id for the path of a call. A value that is not an id is returned unchanged, for the call to reject it. */
export const memberIdOf = (ref: MemberRef): string =>
  typeof ref === 'object' && ref !== null ? ref.member_id : ref
