import { ApiError, InvalidParamsError, type SdkError } from '../../errors.ts'
import type { AddAllOptions, AddedBatch, Members, NewMember } from '../../org.ts'
import type { DoneRow } from './journal.ts'
import type { Row } from './rows.ts'

/** What became of the rows of one call. */
export interface Sent {
  readonly done: readonly DoneRow[]
  readonly refused: readonly Refused[]
}

/** A row that is not done. */
export interface Refused {
  readonly line: number
  /** `unknown`: the call broke off after it was sent, and may have added the row. */
  readonly outcome: 'invalid' | 'failed' | 'unknown'
  readonly column?: string
  readonly detail: string
}

interface SendOptions extends Pick<AddAllOptions, 'notify' | 'invite' | 'signal'> {
  /** Asked before each call. */
  readonly stops: () => boolean
}

/** Calls that fail one after the other before the rest is left alone: it would fail too. */
const mostFailures = 3

/**
 * Adds the rows in calls of up to 500. Where the service names rows of a call that it refused, those are left
 * out and the others are sent again.
 *
 * @throws {SdkError} the credentials are refused, or too many calls failed: what was not yielded was not sent
 */
export async function* send(
  members: Members,
  rows: readonly Row[],
  { stops, ...options }: SendOptions,
): AsyncGenerator<Sent, void, undefined> {
  const waiting = [...rows].reverse()
  const lines = new Map(rows.map(({ line, member }) => [keyOf(member), line]))
  let failures = 0
  while (waiting.length > 0 && !stops()) {
    for await (const batch of members.addAll(drain(waiting), options)) {
      const { again, ...sent } = judge(batch, lines)
      waiting.push(...again.reverse())
      yield sent
      const { error } = batch
      failures = error === undefined || again.length > 0 ? 0 : failures + 1
      if (error !== undefined && (failures === mostFailures || isFinal(error))) throw error
      if (stops()) return
    }
  }
}

function* drain(waiting: Row[]): Generator<NewMember> {
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) yield next.member
}

const keyOf = ({ email }: { readonly email: string }) => email.toLowerCase()

/** Other rows would be answered alike. */
const isFinal = (error: SdkError) => error instanceof ApiError && [401, 402, 403].includes(error.status)

function judge(
  { members, created, skipped, error }: AddedBatch,
  lines: ReadonlyMap<string, number>,
): Sent & { readonly again: Row[] } {
  const lineOf = (one: { readonly email: string }) => lines.get(keyOf(one)) ?? 0
  if (error === undefined) {
    const done: DoneRow[] = [
      ...created.map((one) => ({
        line: lineOf(one),
        outcome: one.reactivated ? ('reactivated' as const) : ('created' as const),
        member_id: one.member_id,
        ...(one.activation_link ? { activation_link: one.activation_link } : {}),
      })),
      ...skipped.map((one) => ({ line: lineOf(one), outcome: 'skipped' as const, detail: one.reason })),
    ]
    const told = new Set(done.map(({ line }) => line))
    const untold = members.map(lineOf).filter((line) => !told.has(line))
    const detail = 'the answer of the service does not name it'
    const refused = untold.map((line) => ({ line, outcome: 'unknown' as const, detail }))
    return { done: done.filter(({ line }) => line > 0), refused, again: [] }
  }
  const faults = faultsOf(error)
  if (faults.size === 0) {
    const outcome = (error as { mayHaveArrived?: boolean }).mayHaveArrived ? 'unknown' : 'failed'
    const refused = members.map((one) => ({ line: lineOf(one), outcome, detail: error.code }) as const)
    return { done: [], refused, again: [] }
  }
  const refused = [...faults].map(([place, fault]) => {
    return { line: lineOf(members[place] as NewMember), outcome: 'invalid' as const, ...fault }
  })
  const again = members.flatMap((member, place) =>
    faults.has(place) ? [] : [{ line: lineOf(member), member }],
  )
  return { done: [], refused, again }
}

/** The rows that the error names, by their place in the call. */
function faultsOf(error: SdkError): Map<number, { column?: string; detail: string }> {
  const named: (readonly [string, unknown])[] =
    error instanceof InvalidParamsError
      ? error.issues.map(({ path, message }) => [path, message])
      : error instanceof ApiError
        ? Object.entries(error.fieldErrors)
        : []
  const faults = new Map<number, { column?: string; detail: string }>()
  for (const [path, fault] of named) {
    const [, place, column] = /^members[.[](\d+)\]?\.?(\w*)/.exec(path) ?? []
    if (place === undefined || faults.has(Number(place))) continue
    const detail = `refused: ${[fault].flat().join('; ')}`
    faults.set(Number(place), column ? { column, detail } : { detail })
  }
  return faults
}
