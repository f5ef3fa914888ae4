import type { AddedMember, AddResult, SkippedMember } from '../contract/organization/member-results.ts'
import { type AddParams, membersPerCall, type NewMember } from '../contract/organization/members.ts'
import { AbortedError } from '../errors/call-errors.ts'
import { isSdkError, type SdkError } from '../errors/sdk-error.ts'
import type { RequestOptions } from '../http/params/options.ts'
import { callHook } from '../runtime/call-hook.ts'
import { type BulkOptions, read, type Source } from './bulk.ts'

/** The progress of `addAll`, counted in members. */
export interface AddAllProgress {
  /** Members that were added or reactivated. */
  readonly created: number
  /** Members that were left out, for example because they were in the roster already. */
  readonly skipped: number
  /** Members in calls that failed. */
  readonly failed: number
}

/** Options of `members.addAll`. */
export interface AddAllOptions extends Pick<AddParams, 'notify' | 'invite'>, BulkOptions {
  /** Called with the totals after each call. An error that it throws has no effect. */
  readonly onProgress?: ((progress: AddAllProgress) => void) | undefined
}

/** The result of one call of `addAll`. */
export interface AddedBatch {
  /** The members that the call was made with. */
  readonly members: readonly NewMember[]
  /** The members that were added or reactivated. */
  readonly created: readonly AddedMember[]
  /** The members that were left out, each with the reason. */
  readonly skipped: readonly SkippedMember[]
  /** True if invites were emailed. */
  readonly notified: boolean
  /**
   * The error if the call failed. If `mayHaveArrived` is true, some of the members may have been added. Adding them
   * again is safe, because existing members are skipped.
   */
  readonly error?: SdkError
}

const operation = 'members.addAll'

interface Roster {
  add(params: AddParams, options?: RequestOptions): PromiseLike<AddResult>
}

export async function* addAll(
  roster: Roster,
  members: Source<NewMember>,
  { notify, invite, onProgress, ...options }: AddAllOptions = {},
): AsyncGenerator<AddedBatch, void, undefined> {
  const { signal } = options
  let totals: AddAllProgress = { created: 0, skipped: 0, failed: 0 }
  for await (const batch of inBatches(read(members, { name: 'members', operation, signal }))) {
    const result = await addBatch(roster, { members: batch, notify, invite }, options)
    totals = {
      created: totals.created + result.created.length,
      skipped: totals.skipped + result.skipped.length,
      failed: totals.failed + (result.error ? batch.length : 0),
    }
    callHook(() => onProgress?.(totals))
    yield result
  }
}

async function addBatch(roster: Roster, params: AddParams, options: RequestOptions): Promise<AddedBatch> {
  const { members } = params
  try {
    // A response in an unexpected shape passes with a warning, because the members were added.
    const { created = [], skipped = [], notified = false } = (await roster.add(params, options)) ?? {}
    return { members, created, skipped, notified }
  } catch (error) {
    if (!isSdkError(error) || error instanceof AbortedError) throw error
    return { members, created: [], skipped: [], notified: false, error }
  }
}

async function* inBatches(members: AsyncIterable<NewMember>): AsyncGenerator<readonly NewMember[]> {
  let batch: NewMember[] = []
  for await (const member of members) {
    batch.push(member)
    if (batch.length < membersPerCall.max) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
