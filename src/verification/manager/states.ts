import type { PendingVerificationState, VerificationHistoryEntry, VerificationState } from './verification.ts'

/** A state that belongs to a session. */
export type SessionState = VerificationHistoryEntry['state']

/** What a state of a person means for the calls of a manager. */
interface StateRow {
  /**
   * What `start` does. `take_over`: it looks for the session of the start that has not ended. `resume`: it returns the
   * open session, and creates another one if that has expired or is of another workflow. `keep`: it returns the record.
   * `renew`: it creates a session if `renew` says so.
   */
  readonly start: 'create' | 'take_over' | 'resume' | 'keep' | 'renew'
  /**
   * Whether an event makes `handle` ask the service. `undefined`: the state has no session that an event could name.
   */
  readonly asksOnEvent: boolean | undefined
  /** Whether `reconcile` asks the service, because something is still to be expected. */
  readonly isPending: boolean
}

/**
 * The states of a person: what `start`, `handle` and `reconcile` do in each, in the order in which a session passes
 * through them. A session never goes back, so facts can be applied in any order: those that were read earlier never
 * undo later ones, and nothing undoes an approval.
 */
export const states = {
  none: { start: 'create', asksOnEvent: undefined, isPending: false },
  starting: { start: 'take_over', asksOnEvent: undefined, isPending: true },
  open: { start: 'resume', asksOnEvent: true, isPending: true },
  in_review: { start: 'keep', asksOnEvent: true, isPending: true },
  ended: { start: 'create', asksOnEvent: true, isPending: false },
  declined: { start: 'create', asksOnEvent: true, isPending: false },
  // Nothing follows an approval, so a repeated event costs no request.
  approved: { start: 'renew', asksOnEvent: false, isPending: false },
} as const satisfies Readonly<Record<VerificationState, StateRow>>

const names = /* @__PURE__ */ Object.keys(states) as readonly VerificationState[]

/** The states of a session in their order. */
export const sessionStates = /* @__PURE__ */ names.filter(
  (state) => states[state].asksOnEvent !== undefined,
) as readonly SessionState[]

export const pendingStates = /* @__PURE__ */ names.filter(
  (state) => states[state].isPending,
) as readonly PendingVerificationState[]
