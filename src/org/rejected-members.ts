import type { AnySdkError } from '../errors/any-sdk-error.ts'
import { invalidParam } from '../errors/call-errors.ts'

/** What is wrong with the fields of one member. The key is empty for the member as a whole. */
export type RejectedFields = Readonly<Record<string, readonly string[]>>

/**
 * Returns the members of a call of `members.add` that its error names, by their index in the call. Empty if the error
 * is about the whole call.
 */
export function rejectedMembers(error: AnySdkError): ReadonlyMap<number, RejectedFields> {
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

function fieldMessagesOf(error: AnySdkError): (readonly [path: string, messages: unknown])[] {
  if ('issues' in error) return error.issues.map(({ path, message }) => [path, message])
  return 'fieldErrors' in error ? Object.entries(error.fieldErrors) : []
}

/**
 * The error of a member whom the service left out. The reason is not printed, because the contract does not list it.
 */
export const leftOut = (operation: string, path: string) =>
  invalidParam({ operation, attempts: 1 }, path, 'was left out by the service')
