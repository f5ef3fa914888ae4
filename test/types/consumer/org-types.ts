// Misspelled on purpose: cspell:ignore actve emial satus

import {
  type AddAllFailed,
  type AddAllItem,
  type AddAllSummary,
  type AddedMember,
  type BillingSummary,
  type Bulk,
  type BulkSource,
  type Id,
  type InviteAllItem,
  type InviteAllSummary,
  type InviteResult,
  type Member,
  type MemberRef,
  type NewMember,
  OrgClient,
  type RemoveResult,
  type Session,
} from 'identity-service-sdk'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

export const org = new OrgClient({ clientId: undefined, clientSecret: 'secret' })

// Results list their fields and nothing else.

export async function misspelledFields(member: Member, bill: BillingSummary): Promise<unknown> {
  // @ts-expect-error: a member has no `emial`
  console.log(member.emial)
  // @ts-expect-error: a billing summary has no `seat`
  const { seat } = bill
  // @ts-expect-error: the list has no `member`
  const { member: other } = await org.members.list()
  // @ts-expect-error: a part of a member has no `satus`
  const part: Partial<Member> = { satus: 'active' }
  const withoutEmail: Omit<Member, 'email'> = member
  const kept: string = withoutEmail.member_id
  return [seat, other, part, kept]
}

// Lookups, removals, batches and invites are unions that narrow.

export async function lookUp(): Promise<string | null> {
  const lookup = await org.members.resolve({ email: 'ada@example.com' })
  // @ts-expect-error: the member is null unless it was found
  console.log(lookup.member.email)
  if (!lookup.found) {
    const none: null = lookup.member
    return none
  }
  const found: Member = lookup.member
  const { found: exists, member } = await org.members.resolve({ svc_id: 'svc_1', email: undefined })
  return exists ? member.email : found.email
}

export function removal(result: RemoveResult): string {
  if (result.removed) {
    const gone: null = result.member
    return `deleted ${gone}`
  }
  if (!result.found) {
    const gone: null = result.member
    const isSuccess: true = result.already_removed
    return `nobody was found ${gone} ${isSuccess}`
  }
  const deactivated: Member = result.member
  return deactivated.status
}

export const removedMember = ({ member }: RemoveResult): Member | null => member

export function batchError(batch: AddAllItem): string | undefined {
  // @ts-expect-error: only a failed batch has an error
  console.log(batch.error.message)
  switch (batch.outcome) {
    case 'added': {
      const none: undefined = batch.error
      const links = batch.created.map(({ activation_link }) => activation_link)
      return none ?? links.find((link): link is string => link !== null)
    }
    case 'failed': {
      const failed: AddAllFailed = batch
      const unsent: NewMember[] = failed.members
      return `${unsent.length} not added: ${failed.error.message}`
    }
    default: {
      const exhausted: never = batch
      return exhausted
    }
  }
}

/** Errors of failed batches and invites narrow by `name`. */
export function mayBeDone({ error }: AddAllFailed): boolean {
  if (error.name === 'ConnectionError' || error.name === 'TimeoutError') return error.mayHaveArrived
  if (error.name === 'InvalidParamsError') console.error(error.issues.length)
  // @ts-expect-error: a configuration error has no status
  if (error.name === 'ConfigurationError') return error.status === 400
  return false
}

export function inviteLink(invite: InviteAllItem): string {
  // @ts-expect-error: only a sent invite has a result
  console.log(invite.result.activation_link)
  if (invite.error) return `${invite.id}: ${invite.error.code}`
  const result: InviteResult = invite.result
  // @ts-expect-error: an outcome is 'invited' or 'failed'
  if (invite.outcome === 'sent') return ''
  return result.activation_link
}

// `await` gives totals, `for await` gives items.

export async function addEveryone(people: AsyncIterable<NewMember>): Promise<number> {
  const adding = org.members.addAll(people, { notify: false, invite: undefined, signal: undefined })
  const sameShape: Equal<typeof adding, Bulk<AddAllItem, AddAllSummary>> = true
  for await (const { outcome, members, created, error } of adding)
    console.log(sameShape, outcome, members.length, created.length, error?.message)
  const { created, skipped, failed, failures } = await adding
  for (const { item, error } of failures) console.error(error.code, item.email)
  // @ts-expect-error: what `await` gives is not a list of batches
  for (const batch of await org.members.addAll(people)) console.log(batch)
  // @ts-expect-error: without `for await` there are no batches
  for (const batch of org.members.addAll(people)) console.log(batch)
  // @ts-expect-error: totals are not there before `await`
  console.log(org.members.addAll(people).created)
  return created + skipped + failed
}

/** Lint rules recognize it as a promise that must be awaited. */
export const addingIsAPromise: Promise<AddAllSummary> = org.members.addAll([])
export const chained: Promise<string> = org.members.addAll([]).then(
  ({ created }) => `${created} added`,
  (reason: unknown) => String(reason),
)
export const rescued: Promise<AddAllSummary | undefined> = org.members.addAll([]).catch(() => undefined)
export const total = async (): Promise<InviteAllSummary> => org.members.inviteAll(['ada@example.com'])

// Sources are arrays, iterables and async iterables, and no string.

export async function sources(listed: Member[], byEmail: ReadonlyMap<string, Member>): Promise<void> {
  function* typed(): Generator<NewMember> {
    yield { email: 'ada@example.com', first_name: undefined, last_name: undefined, role: undefined }
  }
  const readonlyList: readonly NewMember[] = [{ email: 'ada@example.com', role: 'admin' }]
  const source: BulkSource<NewMember> = new Set(readonlyList)
  await org.members.addAll(readonlyList)
  await org.members.addAll(typed())
  await org.members.addAll(source)
  await org.members.inviteAll(listed)
  await org.members.inviteAll(byEmail.values())
  await org.members.inviteAll(byEmail.keys())
  await org.members.inviteAll([...listed, 'ada@example.com'])
  // @ts-expect-error: a string would be read character by character
  await org.members.inviteAll('ada@example.com')
  // @ts-expect-error: a member has an email
  await org.members.addAll([{ name: 'Ada' }])
  // @ts-expect-error: one key cannot identify several calls
  await org.members.addAll([], { idempotencyKey: 'key' })
  // @ts-expect-error: one key cannot identify several calls
  await org.members.inviteAll([], { idempotencyKey: 'key' })
}

// Ids are strings, and a member stands for its id.

export async function ids(member: Member, added: AddedMember, session: Session): Promise<void> {
  const id: Id<'member'> = member.member_id
  const text: string = id
  const refs: MemberRef[] = [text, id, member, added, 'ada@example.com', { member_id: 'vmem_1' }]
  for (const ref of refs) await org.members.deactivate(ref)
  await org.members.reactivate(member)
  await org.members.remove(added, { permanent: undefined })
  const { activation_link } = await org.members.invite(member)
  console.log(activation_link)
  if (member.svc_id !== null) await org.members.deactivate(member.svc_id)
  // @ts-expect-error: `svc_id` is null until the member connects their identity
  await org.members.deactivate(member.svc_id)
  // @ts-expect-error: the number of the row is not an id
  await org.members.deactivate(member.id)
  // @ts-expect-error: a session is not a member
  await org.members.deactivate(session.session_id)
  // @ts-expect-error: a lookup is not a member
  await org.members.deactivate(await org.members.resolve({ email: 'ada@example.com' }))
}

// The service decides about roles. What the contract lists as the only values is closed.

export async function inputs(member: Member): Promise<boolean> {
  await org.members.add({ members: [{ email: member.email, role: member.role }] })
  await org.members.add({ members: [{ email: 'ada@example.com', role: 'auditor' }] })
  // @ts-expect-error: invite methods are auto, email and face
  await org.members.add({ members: [{ email: 'ada@example.com' }], invite: 'fax' })
  // @ts-expect-error: a lookup needs an email or a svc_id
  await org.members.resolve({})
  // @ts-expect-error: a lookup needs an email or a svc_id that is not null
  await org.members.resolve({ svc_id: member.svc_id })
  // @ts-expect-error: the option is `permanent`
  await org.members.remove(member, { permanently: true })
  // @ts-expect-error: a misspelled status
  const isMisspelled = member.status === 'actve'
  return member.status === 'active' || isMisspelled
}

// A plan takes members as they are listed, and rows that have a status.
export const plans = [
  org.members.plan(org.members.list()),
  org.members.plan([{ email: 'ada@example.com', status: 'deactivated' }]),
]
