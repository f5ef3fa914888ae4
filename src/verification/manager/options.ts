import { type BulkFailure, type BulkSource, isBulkSource } from '../../bulk/bulk.ts'
import type { Id } from '../../contract/schema/open-types.ts'
import { type CheckType, checkTypes } from '../../contract/verification/check-data.ts'
import type { Outcome } from '../../contract/verification/session-status.ts'
import type { SessionCreateParams } from '../../contract/verification/sessions.ts'
import { type RequestOptions, requestOptionRules } from '../../http/params/options.ts'
import { misspelledName } from '../../options/nearest-name.ts'
import {
  aFunction,
  aHandlerName,
  joinRules,
  milliseconds,
  oneOfTexts,
  positiveWholeNumber,
  type Rule,
  required,
  trueOrFalse,
} from '../../options/rules.ts'
import type { SignalContext } from '../../stores/exclusive.ts'
import type { Store } from '../../stores/store.ts'
import type { VerificationSessions } from './session-service.ts'
import { pendingStates } from './states.ts'
import type { PendingVerificationState, VerificationChange } from './verification.ts'

/** Params of the sessions that a verification manager creates. Their `vendor_data` is always the subject. */
export interface VerificationSessionParams extends Omit<SessionCreateParams, 'vendor_data'> {}

/** How many sessions a person may start. */
export interface VerificationLimit {
  /** The number of sessions, 1 or more. */
  readonly sessions: number
  /** The length of the span in which they count, in milliseconds. */
  readonly perMs: number
}

/**
 * When a start creates a session for a person who is approved by the same workflow. Another workflow always needs one.
 */
export type RenewOption =
  | 'never'
  | 'always'
  | {
      /** If the approval is older, in milliseconds, or its time is not known. */
      readonly olderThanMs: number
    }

/** Options of {@link createVerificationManager}. They are read once. Later changes to the object have no effect. */
export interface VerificationManagerOptions<Subject extends string = string, Shared extends Store = Store> {
  /** The client whose `sessions` are used: a `VerificationClient`, or a fake of your tests. */
  readonly client: {
    /** Its methods for sessions. */
    readonly sessions: VerificationSessions
  }
  /** Stores the records. Use a shared store if you run more than one process. */
  readonly store: Shared
  /**
   * Separates managers that share the store: 1 to 64 letters, digits, `_`, `.` and `-`. Managers with different names
   * never see each other's records, so use one for each purpose, such as one for each workflow.
   *
   * @default 'default'
   */
  readonly name?: string | undefined
  /**
   * Checks without which an approval does not count: if one of them is missing or not passed, the state is `ended` with
   * the reason `check_missing`, and `logger` receives their names.
   *
   * @default none
   */
  readonly requires?: readonly (CheckType | (string & {}))[] | undefined
  /**
   * Params of new sessions, or a function that returns them. Set `callback` to receive webhooks. The subject is sent as
   * `vendor_data`. If you change the `workflow_id`, change `name` too: approvals by the old workflow would still count for
   * `ensureApproved`.
   */
  readonly session:
    | VerificationSessionParams
    | ((subject: Subject) => VerificationSessionParams | PromiseLike<VerificationSessionParams>)
  /**
   * How many sessions are created for a person in any span of `perMs`. `false` sets no limit; `attempts` then counts
   * the sessions of the last 24 hours.
   *
   * @default { sessions: 3, perMs: 86_400_000 }
   */
  readonly limit?: VerificationLimit | false | undefined
  /**
   * How long one process may take to create a session, in milliseconds, 1 to 3,600,000. Its requests must end within
   * four fifths of it. If a process crashes, others take its start over after this time, and also its call of
   * `onChange`.
   *
   * @default 30_000
   */
  readonly startLeaseMs?: number | undefined
  /**
   * Called after every change of the state, except to `starting`. The change is recorded before, and removed when
   * `onChange` has ended. If it throws, the call that made the change throws the same, and the next `handle`, `refresh`
   * or `reconcile` calls it again. It may also run again after a crash, so make it idempotent. Pass it in every process
   * that shares the store. `signal` aborts if this process can no longer be sure that it is the only one that runs it, or
   * if it has forgotten the person: then throw.
   */
  readonly onChange?: ((change: VerificationChange<Subject>, context: SignalContext) => unknown) | undefined
  /** The time, for tests. @default the system clock */
  readonly now?: (() => Date) | undefined
}

/** A misspelled type would never be in an approval. Others may be, because a workflow can have more than are listed. */
const isCheckType = (type: unknown) =>
  typeof type === 'string' &&
  type !== '' &&
  (checkTypes.some((listed) => listed === type) || misspelledName(type, checkTypes) === undefined)

const aListOfCheckTypes: Rule = {
  form: "be an array of check types, such as 'liveness', spelled as the contract does",
  allows: (types) => Array.isArray(types) && types.every(isCheckType),
}
/** Not a whole number, because the difference of two clocks may have a fraction. */
const age: Rule = {
  form: 'be a number of milliseconds, 0 or more',
  allows: (value) => typeof value === 'number' && value >= 0,
}

export const managerOptionRules = {
  client: true,
  store: true,
  name: aHandlerName,
  requires: aListOfCheckTypes,
  session: true,
  limit: true,
  startLeaseMs: /* @__PURE__ */ milliseconds({ from: 1, to: 3_600_000 }),
  onChange: aFunction,
  now: aFunction,
} as const

/** Options of `start`. `signal` and `deadlineMs` also end the wait for other processes. */
export interface StartOptions extends RequestOptions {
  /**
   * Creates a session for a person who is approved: `'always'`, or if the approval is older than `olderThanMs`. The
   * state is then `open` until the new outcome.
   *
   * @default 'never'
   */
  readonly renew?: RenewOption | undefined
}

export const startOptionRules = /* @__PURE__ */ joinRules(requestOptionRules, {
  renew: {
    form: "be 'never', 'always' or { olderThanMs }, a number of milliseconds, 0 or more",
    allows: (renew: unknown) =>
      renew === 'never' || renew === 'always' || age.allows((Object(renew) as RenewOption & object).olderThanMs),
  },
})

/** Options of `ensureApproved`. */
export interface EnsureApprovedOptions {
  /** The maximum age of the approval, in milliseconds. An approval whose time is not known is too old. @default none */
  readonly maxAgeMs?: number | undefined
  /** Checks that must be `passed`. @default none */
  readonly checks?: readonly (CheckType | (string & {}))[] | undefined
}

export const ensureOptionRules = {
  maxAgeMs: age,
  checks: aListOfCheckTypes,
}

/** Params of `review`. */
export interface ReviewParams {
  /** The session that the reviewer saw. */
  readonly sessionId: Id<'session'>
  /** The verdict. It cannot be undone. */
  readonly status: Outcome
  /** Who decided. Kept in the record. */
  readonly by: string
  /** Why. Kept in the record. */
  readonly reason: string
}

/** Options of `reconcile`. Those of a call are for each request that it sends. */
export interface ReconcileOptions<Subject extends string = string> extends RequestOptions {
  /** Only records that have not changed for this time, in milliseconds, 0 or more. @default 900_000 (15 minutes) */
  readonly olderThanMs?: number | undefined
  /**
   * Only these people.
   *
   * @default those in the lists of the store, or all if it keeps none, for which it must have `scan`
   */
  readonly subjects?: BulkSource<Subject> | undefined
  /**
   * Reads the records of all people, and writes the lists again: after values were restored or written by hand, or if a
   * store has kept no lists before. The store must have `scan`.
   *
   * @default false
   */
  readonly all?: boolean | undefined
  /** Maximum number of people at the same time. @default 4 */
  readonly concurrency?: number | undefined
  /** Ends the work before the next person, without an error. */
  readonly signal?: AbortSignal | undefined
  /** Called with the totals so far after each person. An error that it throws is logged, and has no other effect. */
  readonly onProgress?: ((progress: ReconcileSummary<Subject>) => void) | undefined
}

export const reconcileOptionRules = /* @__PURE__ */ joinRules(requestOptionRules, {
  olderThanMs: age,
  subjects: { form: 'be an array or another iterable', allows: isBulkSource },
  all: trueOrFalse,
  concurrency: positiveWholeNumber,
  onProgress: aFunction,
})

/** Which people {@link VerificationManager.list} yields. */
export interface VerificationListOptions {
  /** The state: `in_review` is the review queue, `open` those who have not finished. */
  readonly state: PendingVerificationState
  /** Only people whose record has not changed since. @default all */
  readonly changedBefore?: Date | undefined
  /** Maximum number of people, 1 or more. @default all */
  readonly limit?: number | undefined
}

export const aPendingState: Rule = /* @__PURE__ */ oneOfTexts(pendingStates)

export const listOptionRules = {
  state: /* @__PURE__ */ required(aPendingState),
  changedBefore: {
    form: 'be a valid Date',
    allows: (value: unknown) => value instanceof Date && !Number.isNaN(value.getTime()),
  },
  limit: positiveWholeNumber,
} as const

/** The totals of `reconcile`. */
export interface ReconcileSummary<Subject extends string = string> {
  /** The number of people whose verification was read from the service. */
  readonly visited: number
  /** The number of changes. */
  readonly changed: number
  /** The number of people for whom it failed. The next run visits them again. */
  readonly failed: number
  /** The first 1,000 people for whom it failed, each with what failed: a call, the store or `onChange`. */
  readonly failures: readonly BulkFailure<Subject, unknown>[]
}

/** One result of `reconcile`. `outcome` discriminates the two. */
export type ReconcileItem<Subject extends string = string> =
  | {
      /** The state has changed. */
      readonly outcome: 'changed'
      /** The change. `onChange` has run for it. */
      readonly change: VerificationChange<Subject>
    }
  | {
      /** The record is as it was. */
      readonly outcome: 'failed'
      /** Your id of the person. */
      readonly subject: Subject
      /** What failed: a call, the store or `onChange`. */
      readonly error: unknown
    }
