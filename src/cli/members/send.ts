import type { AddAllItem, AddAllOptions, Members, NewMember } from 'identity-service-sdk'
import { ApiError, type SdkError } from 'identity-service-sdk'
import { comparableEmail } from '../../contract/organization/email.ts'
import { rejectedMembers } from '../../org/rejected-members.ts'
import type { DoneRow } from './journal.ts'
import type { Row } from './rows.ts'

/** The rows of one request, by result. */
export interface SentRows {
  readonly done: readonly DoneRow[]
  readonly failed: readonly FailedRow[]
  /** Why the whole request failed, if it is not thrown. */
  readonly error?: SdkError
}

/** A row that was not added, or perhaps not. */
export interface FailedRow {
  readonly line: number
  /** `unknown`: no response was received, so the service may have added the row. */
  readonly outcome: 'invalid' | 'failed' | 'unknown'
  readonly column?: string
  readonly detail: string
}

interface SendOptions extends Pick<AddAllOptions, 'notify' | 'invite' | 'signal'> {
  /** Called before each request. Returns true to stop. */
  readonly shouldStop: () => boolean
}

/** After so many failed requests in a row, the remaining rows are not sent, because they would probably fail too. */
const maxConsecutiveFailures = 3

/**
 * Adds the rows in requests of up to 500. If the service rejects a request because of single rows, the other rows of
 * that request are sent again without them.
 *
 * @throws {SdkError} the credentials were rejected, or too many requests failed. Rows that were not yielded were not
 *   sent.
 */
export async function* send(
  members: Pick<Members, 'addAll'>,
  rows: readonly Row[],
  { shouldStop, ...options }: SendOptions,
): AsyncGenerator<SentRows, void, undefined> {
  const queue = [...rows].reverse()
  const lines = new Map(rows.map(({ line, member }) => [keyOf(member), line]))
  let failures = 0
  while (queue.length > 0 && !shouldStop()) {
    for await (const batch of members.addAll(drain(queue), options)) {
      const { resend, error: failure, ...sent } = sortRows(batch, lines)
      queue.push(...resend.reverse())
      const { error } = batch
      failures = error === undefined || resend.length > 0 ? 0 : failures + 1
      const isLast = error !== undefined && (failures === maxConsecutiveFailures || isPermanent(error))
      yield isLast || failure === undefined ? sent : { ...sent, error: failure }
      if (isLast) throw error
      if (shouldStop()) return
    }
  }
}

function* drain(queue: Row[]): Generator<NewMember> {
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) yield next.member
}

const keyOf = ({ email }: { readonly email: string }) => comparableEmail(email)

/** Whether requests with other rows would fail in the same way. */
const isPermanent = (error: SdkError) => error instanceof ApiError && [401, 402, 403].includes(error.status)

function sortRows(
  { members, created, skipped, error }: AddAllItem,
  lines: ReadonlyMap<string, number>,
): SentRows & { readonly resend: Row[] } {
  const lineOf = (member: { readonly email: string }) => lines.get(keyOf(member)) ?? 0
  if (error === undefined) {
    const done: DoneRow[] = [
      ...created.map((member) => ({
        line: lineOf(member),
        outcome: member.reactivated ? ('reactivated' as const) : ('created' as const),
        member_id: member.member_id,
        ...(member.activation_link ? { activation_link: member.activation_link } : {}),
      })),
      ...skipped.map((member) => ({
        line: lineOf(member),
        outcome: 'skipped' as const,
        detail: member.reason,
      })),
    ]
    const reported = new Set(done.map(({ line }) => line))
    const missing = members.map(lineOf).filter((line) => !reported.has(line))
    const detail = 'the response does not list this member'
    const failed = missing.map((line) => ({ line, outcome: 'unknown' as const, detail }))
    return { done: done.filter(({ line }) => line > 0), failed, resend: [] }
  }
  const rejected = rejectedMembers(error)
  if (rejected.size === 0) {
    const outcome = 'mayHaveArrived' in error && error.mayHaveArrived ? 'unknown' : 'failed'
    const failed = members.map((member) => ({ line: lineOf(member), outcome, detail: error.code }) as const)
    return { done: [], failed, resend: [], error }
  }
  const failed = members.flatMap((member, index) => {
    const [[column, messages] = ['', []]] = Object.entries(rejected.get(index) ?? {})
    if (messages.length === 0) return []
    const detail = `rejected: ${messages.join('; ')}`
    return { line: lineOf(member), outcome: 'invalid' as const, ...(column && { column }), detail }
  })
  const resend = members.flatMap((member, index) =>
    rejected.has(index) ? [] : [{ line: lineOf(member), member }],
  )
  return { done: [], failed, resend }
}
