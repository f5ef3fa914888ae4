import { type CheckType, checkTypes } from '../../contract/verification/check-data.ts'
import type { CheckOutcomes, ToldOutcome } from '../checks/outcome.ts'
import { EmulatorError } from '../emulator-error.ts'

interface Told<Type extends CheckType> {
  readonly outcome: ToldOutcome<Type>
  left: number
}

type Queues = { [Type in CheckType]?: Told<Type>[] }

/** How the next standalone checks were told to end. */
export class OutcomeQueue {
  readonly #queues: Queues = {}

  constructor(always: CheckOutcomes) {
    for (const type of checkTypes) this.#start(type, always[type])
  }

  #start<Type extends CheckType>(type: Type, outcome: ToldOutcome<Type> | undefined): void {
    if (outcome !== undefined) this.script(type, outcome, Number.POSITIVE_INFINITY)
  }

  script<Type extends CheckType>(type: Type, outcome: ToldOutcome<Type>, times: number): void {
    if (!checkTypes.includes(type)) throw new EmulatorError(`${type} is no type of check`)
    if (!(times === Number.POSITIVE_INFINITY || (Number.isInteger(times) && times > 0)))
      throw new EmulatorError('times must be a positive whole number, or Infinity')
    const queue: Told<Type>[] = this.#queues[type] ?? []
    // What lasts is replaced by what lasts; a counted outcome goes before it, behind those told earlier.
    const counted = queue.filter(({ left }) => left !== Number.POSITIVE_INFINITY)
    const lasting = queue.filter(({ left }) => left === Number.POSITIVE_INFINITY)
    const told = { outcome, left: times }
    const next = times === Number.POSITIVE_INFINITY ? [...counted, told] : [...counted, told, ...lasting]
    Object.assign(this.#queues, { [type]: next })
  }

  /** The outcome for one check that is made now; `undefined` lets it take its course. */
  take<Type extends CheckType>(type: Type): ToldOutcome<Type> | undefined {
    const queue: Told<Type>[] | undefined = this.#queues[type]
    const told = queue?.[0]
    if (told === undefined) return undefined
    told.left -= 1
    if (told.left === 0) queue?.shift()
    return told.outcome
  }

  clear(): void {
    for (const type of checkTypes) delete this.#queues[type]
  }
}
