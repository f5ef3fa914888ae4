import { isJsonObject, type JsonObject } from '../../../contract/schema/schema.ts'
import type { CheckDataByType, CheckType, KnownCheckStatus } from '../../../contract/verification/check-data.ts'
import type { CheckFor } from '../../../contract/verification/check-results.ts'
import { borderlineData, type DataChange, failedData, failureMessages } from './samples.ts'

/** The outcome of a check. Fields that you leave out get values that match the others. */
export interface CheckOutcome<Type extends CheckType = CheckType> {
  /**
   * The status.
   *
   * @default determined by `live_score`, or by `similarity` and `threshold`, in `data` by the contract's rules. Without
   *   those, the status that the check has without a script
   */
  readonly status?: KnownCheckStatus | undefined
  /** The check's score. @default derived from `data` */
  readonly score?: number | undefined
  /** Merged over the data that matches the status. */
  readonly data?: Partial<CheckDataByType[Type]> | undefined
  /** The `message` of the check's `error`. @default a message for the type of check if the status is `failed` */
  readonly error?: string | undefined
}

/** An outcome, or only its status. */
export type ScriptedOutcome<Type extends CheckType> = CheckOutcome<Type> | NonNullable<CheckOutcome['status']>

/** Outcomes by type of check. */
export type CheckOutcomes = { readonly [Type in CheckType]?: ScriptedOutcome<Type> | undefined }

/** Merges two objects deeply. The second one wins. */
function merge(base: object, changes: object): JsonObject {
  const before = new Map<string, unknown>(Object.entries(base))
  const merged = Object.entries(changes).map(([name, value]): [string, unknown] => {
    const current = before.get(name)
    return [name, isJsonObject(value) && isJsonObject(current) ? merge(current, value) : value]
  })
  return { ...base, ...Object.fromEntries(merged) }
}

/** Applies the contract's rules for the two checks whose status depends on a number. */
function statusByScore(type: CheckType, scripted: JsonObject, data: JsonObject): 'passed' | 'failed' | undefined {
  if (type === 'liveness' && scripted.live_score !== undefined) return scripted.live_score === 1 ? 'passed' : 'failed'
  if (type === 'face_match' && (scripted.similarity !== undefined || scripted.threshold !== undefined))
    return Number(data.similarity) >= Number(data.threshold) ? 'passed' : 'failed'
  return undefined
}

function scoreOf(type: CheckType, data: JsonObject): unknown {
  if (type === 'id_verification') return isJsonObject(data.authenticity) ? data.authenticity.score : undefined
  if (type === 'liveness') return data.live_score
  return type === 'face_match' ? data.similarity : undefined
}

const dataByStatus: Readonly<Record<string, DataChange>> = { failed: failedData, review: borderlineData }

/** Applies a scripted outcome to a check. Returns the check unchanged if there is none. */
export function withOutcome<Type extends CheckType>(
  unscripted: CheckFor<Type>,
  scripted: ScriptedOutcome<Type> | undefined,
): CheckFor<Type> {
  if (scripted === undefined) return unscripted
  const outcome: CheckOutcome<Type> = typeof scripted === 'string' ? { status: scripted } : scripted
  const { type } = unscripted
  const scriptedData: JsonObject = outcome.data ?? {}
  const status =
    outcome.status ?? statusByScore(type, scriptedData, merge(unscripted.data, scriptedData)) ?? unscripted.status

  if (status === 'pending' || status === 'running')
    return { type, status, data: {} as CheckDataByType[Type], error: null }
  const changes = status === unscripted.status ? undefined : dataByStatus[status]
  const data = merge(merge(unscripted.data, changes?.[type](unscripted.data) ?? {}), scriptedData)
  const score = outcome.score ?? scoreOf(type, data)
  const message = outcome.error ?? (status === 'failed' ? failureMessages[type] : undefined)
  return {
    type,
    status,
    ...(typeof score === 'number' ? { score } : {}),
    data: data as CheckDataByType[Type],
    error: message === undefined ? null : { message },
  }
}
