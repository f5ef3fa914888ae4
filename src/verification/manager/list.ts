import { invalidParam } from '../../errors/call-errors.ts'
import { checkCallOptions } from '../../http/params/params.ts'
import { aPendingState, listOptionRules, type VerificationListOptions } from './options.ts'
import { listOf, listsOf, verificationState } from './record.ts'
import type { ListedPerson, VerificationRecords } from './record-store.ts'
import type { PendingVerificationState, Verification } from './verification.ts'

/** Yields the people in a state, in the order of their last change. */
export async function* listVerifications(
  records: VerificationRecords,
  options: VerificationListOptions,
): AsyncGenerator<Verification, void, undefined> {
  checkCallOptions(options, 'verifications.list', listOptionRules)
  const { state, changedBefore, limit = Number.POSITIVE_INFINITY } = options
  const before = changedBefore?.getTime()
  // A person who changes while the list is read can be listed again, at another place.
  const yielded = new Set<string>()
  for await (const { subject, list } of inOrder(listsOf(state).map((name) => records.listed(name, before)))) {
    if (yielded.has(subject)) continue
    const stored = await records.read(subject)
    if (listOf(stored.value) !== list) await records.writeEntry(subject, stored, list)
    // The person may have left the state since the entry was read.
    if (verificationState(stored.value) !== state) continue
    yielded.add(subject)
    yield records.toVerification(subject, stored.value)
    if (yielded.size >= limit) return
  }
}

export async function countVerifications(
  records: VerificationRecords,
  state: PendingVerificationState,
): Promise<number> {
  if (!aPendingState.allows(state)) throw invalidParam('verifications.count', 'state', `must ${aPendingState.form}`)
  const counts = await Promise.all(listsOf(state).map((list) => records.count(list)))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Merges entries that are each in the order of their time. */
async function* inOrder(lists: readonly AsyncGenerator<ListedPerson>[]): AsyncGenerator<ListedPerson> {
  try {
    const heads = await Promise.all(lists.map((list) => list.next()))
    for (;;) {
      const times = heads.map(({ done, value }) => (done === true ? Number.POSITIVE_INFINITY : value.at))
      const first = times.indexOf(Math.min(...times))
      const [list, head] = [lists[first], heads[first]]
      if (list === undefined || head === undefined || head.done === true) return
      yield head.value
      heads[first] = await list.next()
    }
  } finally {
    await Promise.all(lists.map((list) => list.return(undefined)))
  }
}
