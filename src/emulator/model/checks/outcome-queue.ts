import { type CheckType, checkTypes } from '../../../contract/verification/check-data.ts'
import type { Saved } from '../saved.ts'
import type { CheckOutcomes, ScriptedOutcome } from './outcome.ts'

interface QueuedOutcome<Type extends CheckType> {
  readonly outcome: ScriptedOutcome<Type>
  left: number
}

type Queues = { [Type in CheckType]?: QueuedOutcome<Type>[] }

/** Scripted outcomes of the next standalone checks. */
export class OutcomeQueue {
  readonly #queues: Queues

  /** @param outcomes those of the options, which a saved state contains already */
  constructor(outcomes: CheckOutcomes, saved?: Saved<OutcomeQueue>) {
    this.#queues = { ...saved }
    if (saved !== undefined) return
    for (const type of checkTypes) this.#scriptAlways(type, outcomes[type])
  }

  #scriptAlways<Type extends CheckType>(type: Type, outcome: ScriptedOutcome<Type> | undefined): void {
    if (outcome !== undefined) this.script(type, outcome, Number.POSITIVE_INFINITY)
  }

  /** The outcomes that have not been used up, in the order of their use. */
  get pending(): readonly {
    readonly type: CheckType
    readonly outcome: ScriptedOutcome<CheckType>
    readonly left: number
  }[] {
    return checkTypes.flatMap((type) =>
      (this.#queues[type] ?? []).map(({ outcome, left }) => ({ type, outcome, left })),
    )
  }

  script<Type extends CheckType>(type: Type, outcome: ScriptedOutcome<Type>, times: number): void {
    const queue: QueuedOutcome<Type>[] = this.#queues[type] ?? []
    // Outcomes with a count are used first, in the order in which they were scripted. A permanent outcome replaces the
    // previous permanent one.
    const counted = queue.filter(({ left }) => left !== Number.POSITIVE_INFINITY)
    const permanent = queue.filter(({ left }) => left === Number.POSITIVE_INFINITY)
    const scripted = { outcome, left: times }
    const next = times === Number.POSITIVE_INFINITY ? [...counted, scripted] : [...counted, scripted, ...permanent]
    Object.assign(this.#queues, { [type]: next })
  }

  /** Returns and consumes the outcome of the next check, or `undefined` if none is scripted. */
  take<Type extends CheckType>(type: Type): ScriptedOutcome<Type> | undefined {
    const queue: QueuedOutcome<Type>[] | undefined = this.#queues[type]
    const scripted = queue?.[0]
    if (scripted === undefined) return undefined
    scripted.left -= 1
    if (scripted.left === 0) queue?.shift()
    return scripted.outcome
  }

  save() {
    return this.#queues
  }

  clear(): void {
    for (const type of checkTypes) delete this.#queues[type]
  }
}
