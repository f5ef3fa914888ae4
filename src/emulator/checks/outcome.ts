import type { CheckDataByType, CheckType, KnownCheckStatus } from '../../contract/verification/check-data.ts'
import type { CheckFor } from '../../contract/verification/check-results.ts'
import { borderlineData, type DataChange, failedData, failureMessages } from './samples.ts'

/** How a check is made to end. What is not told is filled in to fit. */
export interface CheckOutcome<Type extends CheckType = CheckType> {
  /** Without it, a `live_score` or a `similarity` in `data` decides by the contract's rules, else it passed. */
  readonly status?: KnownCheckStatus
  /** Of the check. @default told from `data` */
  readonly score?: number
  /** Laid over the data that the status calls for. */
  readonly data?: Partial<CheckDataByType[Type]>
  /** The message of the check's `error`. */
  readonly error?: string
}

/** An outcome, or no more than its status. */
export type ToldOutcome<Type extends CheckType> = CheckOutcome<Type> | NonNullable<CheckOutcome['status']>

/** Outcomes by type of check. */
export type CheckOutcomes = { readonly [Type in CheckType]?: ToldOutcome<Type> | undefined }

type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Lays one object over another; objects in both are laid over one another too. */
function overlay(below: Members, above: Members): Members {
  const merged = Object.entries(above).map(([name, value]): [string, unknown] => {
    const beneath = below[name]
    return [name, isMembers(value) && isMembers(beneath) ? overlay(beneath, value) : value]
  })
  return { ...below, ...Object.fromEntries(merged) }
}

/** The contract's own rules for the two checks that are judged by a number. */
function judge(type: CheckType, told: Members, whole: Members): 'passed' | 'failed' | undefined {
  if (type === 'liveness' && told.live_score !== undefined) return told.live_score === 1 ? 'passed' : 'failed'
  if (type === 'face_match' && (told.similarity !== undefined || told.threshold !== undefined))
    return Number(whole.similarity) >= Number(whole.threshold) ? 'passed' : 'failed'
  return undefined
}

function scoreOf(type: CheckType, data: Members): unknown {
  if (type === 'id_verification') return isMembers(data.authenticity) ? data.authenticity.score : undefined
  if (type === 'liveness') return data.live_score
  return type === 'face_match' ? data.similarity : undefined
}

const dataByStatus: Readonly<Record<string, DataChange>> = { failed: failedData, review: borderlineData }

/** The check as it ends: as it came, unless it was told otherwise. */
export function withOutcome<Type extends CheckType>(
  natural: CheckFor<Type>,
  told: ToldOutcome<Type> | undefined,
): CheckFor<Type> {
  if (told === undefined) return natural
  const outcome: CheckOutcome<Type> = typeof told === 'string' ? { status: told } : told
  const { type } = natural
  const toldData: Members = outcome.data ?? {}
  const status = outcome.status ?? judge(type, toldData, overlay(natural.data, toldData)) ?? natural.status

  if (status === 'pending' || status === 'running')
    return { type, status, data: {} as CheckDataByType[Type], error: null }
  const changed = status === natural.status ? undefined : dataByStatus[status]
  const data = overlay(overlay(natural.data, changed?.[type](natural.data) ?? {}), toldData)
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
