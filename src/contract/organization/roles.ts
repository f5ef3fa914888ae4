// A file of its own, so that the command line can import these lists without the schemas of the members (24 KB).

/** Roles of members (contract, section 2.9). The contract does not say what each role may do. */
export const memberRoles = ['owner', 'admin', 'developer', 'member'] as const

/** Ways to invite new members (contract, section 4.9). */
export const inviteMethods = ['auto', 'email', 'face'] as const
