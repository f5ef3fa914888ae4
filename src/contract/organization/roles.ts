// A file of its own, so that the command line can import these facts without the schemas of the members (24 KB).

/** Roles of members (contract, section 2.9). */
export const memberRoles = ['owner', 'admin', 'developer', 'member'] as const

/** Number of members per call (contract, section 8). */
export const membersPerCall = { min: 1, max: 500 } as const

/** Ways to invite new members (contract, section 4.9). */
export const inviteMethods = ['auto', 'email', 'face'] as const
