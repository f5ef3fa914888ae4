// Keeps a roster in step with a list of people: adds in bulk, follows the progress, deactivates who left.
import {
  type AddAllItem,
  type InviteAllItem,
  isErrorCode,
  type Member,
  type NewMember,
  type OrgClient,
} from 'identity-service-sdk'

interface Person {
  email: string
  firstName?: string
  isAdmin: boolean
}

const toMember = ({ email, firstName, isAdmin }: Person): NewMember => ({
  email,
  first_name: firstName,
  role: isAdmin ? 'admin' : 'member',
})

export async function addPeople(org: OrgClient, people: readonly Person[]): Promise<string> {
  const { created, skipped, failed } = await org.members.addAll(people.map(toMember), { notify: true })
  return `${created} added, ${skipped} skipped, ${failed} failed`
}

export async function* addWithProgress(
  org: OrgClient,
  rows: AsyncIterable<NewMember>,
): AsyncGenerator<string> {
  const adding = org.members.addAll(rows, { onProgress: ({ created }) => console.log(created) })
  for await (const batch of adding) yield describe(batch)
  const { failures } = await adding
  for (const { item, error } of failures) yield `${item.email}: ${error.message}`
}

const describe = (batch: AddAllItem): string =>
  batch.error ? batch.error.code : batch.created.map(({ email }) => email).join()

export async function deactivateOthers(org: OrgClient, keep: ReadonlySet<string>): Promise<Member[]> {
  const { members } = await org.members.list()
  const left = members.filter(({ email, status }) => status === 'active' && !keep.has(email))
  return Promise.all(left.map((member) => org.members.deactivate(member)))
}

export async function remindPending(org: OrgClient): Promise<InviteAllItem[]> {
  const { members } = await org.members.list()
  const outcomes: InviteAllItem[] = []
  for await (const invite of org.members.inviteAll(members.filter(({ status }) => status === 'invited')))
    if (isErrorCode(invite.error, 'already_active')) outcomes.push(invite)
  return outcomes
}
