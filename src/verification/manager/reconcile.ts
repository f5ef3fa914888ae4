import { type Bulk, type BulkFailure, type BulkSource, bulk } from '../../bulk/bulk.ts'
import { inParallel } from '../../bulk/in-parallel.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import type { RequestOptions } from '../../http/params/options.ts'
import { checkCallOptions } from '../../http/params/params.ts'
import type { Stream } from '../../observe/stream.ts'
import { type ReconcileItem, type ReconcileOptions, type ReconcileSummary, reconcileOptionRules } from './options.ts'
import { undeliveredLists } from './record.ts'
import type { VerificationRecords } from './record-store.ts'
import { pendingStates } from './states.ts'
import type { VerificationChange } from './verification.ts'

/** How a person is visited. */
export interface Visit {
  readonly olderThanMs: number
  /** The list in which the person was found. */
  readonly list?: string
  /** Whether the entries of all lists are written again. */
  readonly all?: boolean
}

/** What `reconcile` works with. */
export interface Reconcilable {
  readonly records: VerificationRecords
  /**
   * Brings one person up to date.
   *
   * @returns the changes; `undefined` if the person did not have to be visited
   */
  readonly visit: (subject: string, visit: Visit, request: RequestOptions) => Promise<VerificationChange[] | undefined>
  /** The time by the clock of the manager, in milliseconds since the epoch. */
  readonly clock: () => number
  readonly stream: Stream
}

/** A person, and the list that the person was found in. */
interface Found {
  readonly subject: string
  readonly list?: string
}

const operation = 'verifications.reconcile'
const defaultOlderThanMs = 900_000
const defaultConcurrency = 4

/** In an outage all people of a large store may fail, and each error has a stack. */
const maxFailures = 1000

/** Visits many people, some at the same time. */
export function reconcile(
  { records, visit, clock, stream }: Reconcilable,
  options: ReconcileOptions = {},
): Bulk<ReconcileItem, ReconcileSummary> {
  const failures: BulkFailure<string, unknown>[] = []
  const totals = { visited: 0, changed: 0, failed: 0, failures }

  async function visitOne(subject: string, how: Visit, request: RequestOptions): Promise<ReconcileItem[]> {
    let items: ReconcileItem[]
    try {
      // One person whose record or session is broken must not end the work for all others.
      const changes = await visit(subject, how, request)
      if (changes === undefined) return []
      items = changes.map((change) => ({ outcome: 'changed', change }))
      totals.changed += items.length
    } catch (error) {
      items = [{ outcome: 'failed', subject, error }]
      totals.failed += 1
      if (failures.length < maxFailures) failures.push({ item: subject, error })
    }
    totals.visited += 1
    stream.callHook('onProgress', () => options.onProgress?.({ ...totals }))
    return items
  }

  async function* run(): AsyncGenerator<ReconcileItem, void, undefined> {
    checkCallOptions(options, operation, reconcileOptionRules)
    const {
      olderThanMs = defaultOlderThanMs,
      concurrency = defaultConcurrency,
      signal,
      subjects,
      all = false,
      onProgress: _,
      ...request
    } = options
    const found = subjects
      ? asFound(subjects)
      : all || !records.isListing
        ? scanned(records)
        : listed(records, clock, olderThanMs)
    const work = ({ subject, ...from }: Found) =>
      visitOne(subject, { olderThanMs, all: all && records.isListing, ...from }, request)
    for await (const items of inParallel(found, { concurrency, signal, work })) yield* items
  }
  return bulk(run, () => totals, { operation, logger: stream.logger })
}

async function* asFound(subjects: BulkSource<string>): AsyncGenerator<Found> {
  for await (const subject of subjects) yield { subject }
}

/** Yields all people. */
function scanned({ scan }: VerificationRecords): AsyncGenerator<Found> {
  if (scan) return asFound(scan())
  throw new ConfigurationError({
    message: `${operation}: the store cannot list its keys, because it has no scan. Pass subjects, or use a store of this package.`,
  })
}

/**
 * Whether something that was written at a time is due: what is not later than `until`, and what is of the future, because
 * a clock that was ahead wrote it, and nobody knows when.
 */
export const isDue = (at: number, until: number, now: number): boolean => at <= until || at > now

/** Yields the people for whom a change is to be delivered, and those who have not changed since a time. */
async function* listed(records: VerificationRecords, clock: () => number, olderThanMs: number): AsyncGenerator<Found> {
  const startedAt = clock()
  const seen = new Set<string>()
  // First, because a person who is visited in another list may come into one of these. What is delivered while this runs
  // is not left over, and not of the future. Without that, the lists might not end while webhooks come.
  for (const list of undeliveredLists())
    for await (const found of records.listed(list))
      if (isDue(found.at, startedAt, clock())) {
        seen.add(found.subject)
        yield found
      }
  for (const list of pendingStates)
    for await (const found of records.listed(list))
      if (isDue(found.at, startedAt - olderThanMs, clock()) && !seen.has(found.subject)) yield found
}
