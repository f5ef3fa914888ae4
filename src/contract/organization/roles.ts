/** Roles of members (contract, section 2.9). What each may do is not shown. */
export const memberRoles = ['owner', 'admin', 'developer', 'member'] as const

/** How new members can be invited (contract, section 4.9). */
export const inviteMethods = ['auto', 'email', 'face'] as const
