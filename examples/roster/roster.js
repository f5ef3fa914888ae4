/** Adds any number of people, and yields the outcome for each. */
export async function* addPeople(org, people, options) {
  for await (const { members, created, skipped, error } of org.members.addAll(people, options)) {
    for (const member of created) {
      yield { email: member.email, outcome: member.reactivated ? 'reactivated' : 'added', member }
    }
    for (const { email, reason } of skipped) yield { email, outcome: 'skipped', reason }
    // The other calls continue. This one may have been executed; a second run skips people who were added.
    if (error) for (const { email } of members) yield { email, outcome: 'failed', error }
  }
}

/** Resends the invites of all members who have not activated, at the rate that the service allows. */
export async function* resendInvites(org, options) {
  const { members } = await org.members.list(options)
  const waiting = members.filter(({ status }) => status === 'link_sent').map(({ member_id }) => member_id)
  yield* org.members.inviteAll(waiting, options)
}
