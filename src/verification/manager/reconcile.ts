import { ConfigurationError } from '../../errors/sdk-error.ts'
import { checkRequestOptions } from '../../http/params/check-options.ts'
import type { RequestOptions } from '../../http/params/options.ts'
import { type Bulk, bulk } from '../../runtime/bulk.ts'
import { callHook, type Logger } from '../../runtime/logger.ts'
import {
  type ReconcileItem,
  type ReconcileOptions,
  type ReconcileSummary,
  reconcileOptionRules,
} from './options.ts'
import type { VerificationChange } from './verification.ts'

/** What `reconcile` works with. */
export interface Reconcilable {
  /** All people. `undefined` if the store cannot list its keys. */
  readonly subjects: (() => AsyncIterable<string>) | undefined
  /**
   * Brings one person up to date.
   *
   * @returns the changes; `undefined` if the person did not have to be visited
   */
  readonly visit: (
    subject: string,
    olderThanMs: number,
    request: RequestOptions,
  ) => Promise<VerificationChange[] | undefined>
  readonly logger: Logger | undefined
}

const operation = 'verifications.reconcile'
const defaultOlderThanMs = 900_000
const defaultConcurrency = 4

/** Visits many people, some at the same time. */
export function reconcile(
  { subjects: allSubjects, visit, logger }: Reconcilable,
  options: ReconcileOptions = {},
): Bulk<ReconcileItem, ReconcileSummary> {
  let totals: ReconcileSummary = { visited: 0, changed: 0, failed: 0 }

  async function visitOne(
    subject: string,
    olderThanMs: number,
    request: RequestOptions,
  ): Promise<ReconcileItem[]> {
    let items: ReconcileItem[]
    try {
      const changes = await visit(subject, olderThanMs, request)
      if (changes === undefined) return []
      items = changes.map((change) => ({ outcome: 'changed', change }))
    } catch (error) {
      items = [{ outcome: 'failed', subject, error }]
    }
    const count = (outcome: ReconcileItem['outcome']) =>
      items.filter((item) => item.outcome === outcome).length
    totals = {
      visited: totals.visited + 1,
      changed: totals.changed + count('changed'),
      failed: totals.failed + count('failed'),
    }
    callHook(() => options.onProgress?.(totals))
    return items
  }

  async function* run(): AsyncGenerator<ReconcileItem, void, undefined> {
    checkRequestOptions(options, operation, reconcileOptionRules)
    const {
      olderThanMs = defaultOlderThanMs,
      concurrency = defaultConcurrency,
      signal,
      subjects = allSubjects?.(),
      onProgress: _,
      ...request
    } = options
    if (subjects === undefined) {
      throw new ConfigurationError({
        message: `${operation}: the store cannot list its keys, because it has no scan. Pass subjects, or use a store of this package.`,
      })
    }
    const work = (subject: string) => visitOne(subject, olderThanMs, request)
    for await (const items of inParallel(subjects, { concurrency, signal, work })) yield* items
  }
  return bulk(run, () => totals, { operation, logger })
}

/** Runs work on each item of a source, and yields results as they come. */
async function* inParallel<T, Result>(
  source: Iterable<T> | AsyncIterable<T>,
  {
    concurrency,
    signal,
    work,
  }: { concurrency: number; signal: AbortSignal | undefined; work: (item: T) => Promise<Result> },
): AsyncGenerator<Result, void, undefined> {
  const running = new Set<Promise<Result>>()
  const next = async () => {
    const first = await Promise.race([...running].map((one) => one.then((result) => ({ one, result }))))
    running.delete(first.one)
    return first.result
  }
  try {
    for await (const item of source) {
      if (signal?.aborted) break
      running.add(work(item))
      if (running.size >= concurrency) yield await next()
      if (signal?.aborted) break
    }
    while (running.size > 0) yield await next()
  } finally {
    // If the loop is left early, or the source fails, no work continues unseen.
    await Promise.allSettled(running)
  }
}
