import type {
  AddAllOptions,
  AddedMember,
  AnySdkError,
  InviteAllOptions,
  NewMember,
  OrgClient,
  SkippedMember,
} from 'identity-service-sdk'

type AddOutcome =
  | { email: string; outcome: 'added' | 'reactivated'; member: AddedMember }
  | { email: string; outcome: 'skipped'; reason: SkippedMember['reason'] }
  | { email: string; outcome: 'failed'; error: AnySdkError }

/** Adds any number of people, and yields the outcome for each. */
export async function* addPeople(
  org: OrgClient,
  people: Iterable<NewMember> | AsyncIterable<NewMember>,
  options?: AddAllOptions,
): AsyncGenerator<AddOutcome> {
  for await (const batch of org.members.addAll(people, options)) {
    for (const member of batch.created) {
      yield { email: member.email, outcome: member.reactivated ? 'reactivated' : 'added', member }
    }
    for (const { email, reason } of batch.skipped) yield { email, outcome: 'skipped', reason }
    // The other calls continue. This one may have been executed; a second run skips people who were added.
    if (batch.outcome === 'added') continue
    for (const { email } of batch.members) yield { email, outcome: 'failed', error: batch.error }
  }
}

/** Resends the invites of all members who have not activated, at the rate that the service allows. */
export async function* resendInvites(org: OrgClient, options?: InviteAllOptions) {
  const { members } = await org.members.list({}, options)
  const waiting = members.filter(({ status }) => status === 'link_sent')
  yield* org.members.inviteAll(waiting, options)
}
