import type { AddedMember, AddResult, SkippedMember } from '../contract/organization/member-results.ts'
import { type AddParams, membersPerCall, type NewMember } from '../contract/organization/members.ts'
import { AbortedError } from '../errors/call-errors.ts'
import { isSdkError, type SdkError } from '../errors/sdk-error.ts'
import type { RequestOptions } from '../http/params/options.ts'
import { callHook } from '../runtime/call-hook.ts'
import { type BulkOptions, read, type Source } from './bulk.ts'

/** How far `addAll` has come, in members. */
export interface AddAllProgress {
  /** New, or back again. */
  readonly created: number
  /** There already. */
  readonly skipped: number
  /** In calls that failed. */
  readonly failed: number
}

/** How `members.addAll` adds. */
export interface AddAllOptions extends Pick<AddParams, 'notify' | 'invite'>, BulkOptions {
  /** Hears of the sums after each call. What it throws changes nothing. */
  readonly onProgress?: ((progress: AddAllProgress) => void) | undefined
}

/** What one call of `addAll` did. */
export interface AddedBatch {
  /** What the call was made with. */
  readonly members: readonly NewMember[]
  /** Those who are new or came back. */
  readonly created: readonly AddedMember[]
  /** Those who were left out, each with the reason. */
  readonly skipped: readonly SkippedMember[]
  /** Whether invites were emailed. */
  readonly notified: boolean
  /**
   * Why the call failed. Where it `mayHaveArrived`, some of the members may have been added all the same; adding
   * them again skips those.
   */
  readonly error?: SdkError
}

const operation = 'members.addAll'

interface Adder {
  add(params: AddParams, options?: RequestOptions): PromiseLike<AddResult>
}

export async function* addAll(
  roster: Adder,
  members: Source<NewMember>,
  { notify, invite, onProgress, ...options }: AddAllOptions = {},
): AsyncGenerator<AddedBatch, void, undefined> {
  const { signal } = options
  let sums: AddAllProgress = { created: 0, skipped: 0, failed: 0 }
  for await (const batch of inBatches(read(members, { name: 'members', operation, signal }))) {
    const result = await addOne(roster, { members: batch, notify, invite }, options)
    sums = {
      created: sums.created + result.created.length,
      skipped: sums.skipped + result.skipped.length,
      failed: sums.failed + (result.error ? batch.length : 0),
    }
    callHook(() => onProgress?.(sums))
    yield result
  }
}

async function addOne(roster: Adder, params: AddParams, options: RequestOptions): Promise<AddedBatch> {
  const { members } = params
  try {
    // An answer of another shape is let through with a warning: the members were added all the same.
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
