import type { AnySdkError } from '../errors/any-sdk-error.ts'
import { invalidParam } from '../errors/call-errors.ts'

/** What is wrong with the fields of one member. The key is empty for the member as a whole. */
export type RejectedFields = Readonly<Record<string, readonly string[]>>

interface Rejected<Item> {
  readonly item: Item
  /** Missing if the error is about the whole call. */
  readonly fields: RejectedFields | undefined
}

/**
 * Returns the members of a call of `members.add` that its error names, by their index in the call. Empty if the error
 * is about the whole call.
 */
function rejectedMembers(error: AnySdkError): ReadonlyMap<number, RejectedFields> {
  const rejected = new Map<number, Record<string, string[]>>()
  for (const [path, messages] of fieldMessagesOf(error)) {
    const [, index, field = ''] = /^members[.[](\d+)\]?\.?(\w*)/.exec(path) ?? []
    if (index === undefined) continue
    const fields = rejected.get(Number(index)) ?? {}
    fields[field] = [...(fields[field] ?? []), ...[messages].flat().map(String)]
    rejected.set(Number(index), fields)
  }
  return rejected
}

/**
 * Splits the members of a call of `members.add` that failed, because one that the service rejects fails the call, and
 * would keep up to 499 others out.
 *
 * @returns `rejected`: those that the error names, or all if it names none
 */
export function splitRejected<Item>(error: AnySdkError, items: readonly Item[]) {
  const named = rejectedMembers(error)
  const parts: { readonly rejected: Rejected<Item>[]; readonly others: Item[] } = { rejected: [], others: [] }
  const isAboutAll = !items.some((_, index) => named.has(index))
  for (const [index, item] of items.entries()) {
    const fields = named.get(index)
    if (fields !== undefined || isAboutAll) parts.rejected.push({ item, fields })
    else parts.others.push(item)
  }
  return parts
}

function fieldMessagesOf(error: AnySdkError): (readonly [path: string, messages: unknown])[] {
  if ('issues' in error) return error.issues.map(({ path, message }) => [path, message])
  return 'fieldErrors' in error ? Object.entries(error.fieldErrors) : []
}

/**
 * The error of a member whom the service left out. The reason is not printed, because the contract does not list it.
 */
export const leftOut = (operation: string, path: string) =>
  invalidParam({ operation, attempts: 1 }, path, 'was left out by the service')
