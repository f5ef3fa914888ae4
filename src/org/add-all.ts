import { type Bulk, type BulkFailure, type BulkSource, bulk } from '../bulk/bulk.ts'
import type { AddedMember, AddResult, SkippedMember } from '../contract/organization/member-results.ts'
import type { AddParams, NewMember } from '../contract/organization/members.ts'
import { membersPerCall } from '../contract/organization/roles.ts'
import { isJsonObject } from '../contract/schema/schema.ts'
import { type AnySdkError, isSdkError } from '../errors/any-sdk-error.ts'
import { AbortedError } from '../errors/call-errors.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { RequestOptions } from '../http/params/options.ts'
import { checkCallOptions } from '../http/params/params.ts'
import { aFunction } from '../options/rules.ts'
import { type BulkOptions, bulkOptionRules, read } from './bulk.ts'
import { leftOut, splitRejected } from './rejected-members.ts'
import { emailKey } from './roster-plan.ts'

/** The totals of `addAll`, counted in members. They do not contain activation links: those are in the items. */
export interface AddAllSummary {
  /** Members that were added or reactivated. */
  readonly created: number
  /** Members who needed nothing, because they are in the roster already. */
  readonly skipped: number
  /** Members who could not be added: their call failed, or the service left them out for another reason. */
  readonly failed: number
  /**
   * Each member who could not be added, with the error. If its `mayHaveArrived` is true, the member may have been
   * added. Adding them again is safe, because existing members are skipped.
   */
  readonly failures: readonly BulkFailure<NewMember, AnySdkError>[]
}

/** Options of `members.addAll`. */
export interface AddAllOptions extends Pick<AddParams, 'notify' | 'invite'>, BulkOptions {
  /** Called with the totals so far after each call. An error that it throws is logged, and has no other effect. */
  readonly onProgress?: ((progress: AddAllSummary) => void) | undefined
}

/** The result of one call of `addAll`. `outcome` discriminates the two. */
export type AddAllItem =
  | {
      /** The call succeeded. */
      readonly outcome: 'added'
      /** The members that the call was made with. */
      readonly members: NewMember[]
      /** The members that were added or reactivated. */
      readonly created: AddedMember[]
      /** The members that were left out, each with the reason. */
      readonly skipped: SkippedMember[]
      /** True if invites were emailed. */
      readonly notified: boolean
      /** Missing, because the call succeeded. */
      readonly error?: undefined
    }
  | {
      /** The call failed. */
      readonly outcome: 'failed'
      /**
       * The members that the error is about: those that the service rejected, if it named them, otherwise all of the
       * call. The others are sent again without them.
       */
      readonly members: NewMember[]
      /** Empty, because no member is known to be added. */
      readonly created: AddedMember[]
      /** Empty, because no member is known to be left out. */
      readonly skipped: SkippedMember[]
      /** False, because no invite is known to be emailed. */
      readonly notified: false
      /**
       * Why the call failed. If `mayHaveArrived` is true, some of the members may have been added. Adding them again is
       * safe, because existing members are skipped.
       */
      readonly error: AnySdkError
    }

const operation = 'members.addAll'

interface MemberAdder {
  add(params: AddParams, options?: RequestOptions): PromiseLike<AddResult>
}

export function addAll(
  http: Pick<HttpClient, 'callHook' | 'logger' | 'errorDetail'>,
  roster: MemberAdder,
  members: BulkSource<NewMember>,
  addOptions: AddAllOptions = {},
): Bulk<AddAllItem, AddAllSummary> {
  const { notify, invite, onProgress, ...options } = addOptions ?? {}
  const { signal } = options
  const reading = { operation, signal, errorDetail: http.errorDetail }
  const failures: BulkFailure<NewMember, AnySdkError>[] = []
  let totals: AddAllSummary = { created: 0, skipped: 0, failed: 0, failures }
  async function* run(): AsyncGenerator<AddAllItem, void, undefined> {
    checkCallOptions(addOptions, operation, {
      ...bulkOptionRules,
      notify: true,
      invite: true,
      onProgress: aFunction,
    })
    for await (const batch of inBatches(read(members, 'members', reading))) {
      for await (const result of addBatch(roster, { members: batch, notify, invite }, options)) {
        for (const failure of failuresOf(result)) failures.push(failure)
        totals = {
          created: totals.created + result.created.length,
          skipped: totals.skipped + result.skipped.filter(({ reason }) => reason === 'duplicate').length,
          failed: failures.length,
          failures,
        }
        http.callHook('onProgress', () => onProgress?.(totals))
        yield result
      }
    }
  }
  return bulk(run, () => totals, { operation, logger: http.logger })
}

/** Adds members. If the service rejects single ones, the others are sent again without them. */
async function* addBatch(
  roster: MemberAdder,
  params: AddParams & { readonly members: NewMember[] },
  options: RequestOptions,
): AsyncGenerator<AddAllItem, void, undefined> {
  const { members } = params
  let result: AddResult
  try {
    result = await roster.add(params, options)
  } catch (error) {
    if (!isSdkError(error) || error instanceof AbortedError) throw error
    const { rejected, others } = splitRejected(error, members)
    const refused = rejected.map(({ item }) => item)
    yield { outcome: 'failed', members: refused, created: [], skipped: [], notified: false, error }
    if (others.length > 0) yield* addBatch(roster, { ...params, members: others }, options)
    return
  }
  yield { outcome: 'added', members, ...readAddResult(result) }
}

/** Reads a result in any shape. It is never rejected, because the members were added. */
export function readAddResult(result: AddResult): AddResult {
  const { created, skipped, notified = false } = Object(result) as AddResult
  return { created: objectsIn(created), skipped: objectsIn(skipped), notified }
}

const objectsIn = <T>(list: T[]): T[] => (Array.isArray(list) ? list.filter(isJsonObject) : []) as T[]

/** Returns the members of a call who could not be added. */
function failuresOf({ members, skipped, error }: AddAllItem): BulkFailure<NewMember, AnySdkError>[] {
  if (error !== undefined) return members.map((item) => ({ item, error }))
  const reasons = new Map(skipped.map((one) => [emailKey(one), one.reason]))
  return members.flatMap((item) => {
    const reason = reasons.get(emailKey(item))
    return reason === undefined || reason === 'duplicate' ? [] : { item, error: leftOut(operation, 'members.email') }
  })
}

async function* inBatches(members: AsyncIterable<NewMember>): AsyncGenerator<NewMember[]> {
  let batch: NewMember[] = []
  for await (const member of members) {
    batch.push(member)
    if (batch.length < membersPerCall.max) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
