/** Adds people, any number of them, and tells what became of each. */
export async function* addEverybody(org, people, options) {
  for await (const { members, created, skipped, error } of org.members.addAll(people, options)) {
    for (const member of created) {
      yield { email: member.email, outcome: member.reactivated ? 'back' : 'added', member }
    }
    for (const { email, reason } of skipped) yield { email, outcome: 'skipped', reason }
    // The calls of the others go on. Whether this one did anything may not be known: adding again finds out.
    if (error) for (const { email } of members) yield { email, outcome: 'failed', error }
  }
}

/** Invites those again who have not come, as fast as the service lets one. */
export async function* remind(org, options) {
  const { members } = await org.members.list(options)
  const waiting = members.filter(({ status }) => status === 'link_sent').map(({ member_id }) => member_id)
  yield* org.members.inviteAll(waiting, options)
}
