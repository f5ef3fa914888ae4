import { isJsonObject } from '../../contract/schema/json-object.ts'

/** The types of JSON. */
export type JsonType = 'array' | 'boolean' | 'null' | 'number' | 'object' | 'string'

/** How often and when something was received that the contract does not list. */
export interface DriftSeen {
  /** How often. */
  readonly count: number
  /** The first time, in ISO 8601. */
  readonly firstSeenAt: string
  /** The last time, in ISO 8601. */
  readonly lastSeenAt: string
  /** The types that were received. Only fields and types have it. `missing` stands for no value. */
  readonly types?: readonly (JsonType | 'missing')[]
}

/** What the responses of one operation contained that the contract does not list. It contains no values. */
export interface OperationDrift {
  /** Fields that the contract does not list, by path. `*` stands for any member of a list or of a map. */
  readonly fields?: Readonly<Record<string, DriftSeen>>
  /** Documented fields with another type, by path. */
  readonly types?: Readonly<Record<string, DriftSeen>>
  /** Documented fields with a value that the contract does not list, by path. */
  readonly values?: Readonly<Record<string, DriftSeen>>
  /** Error codes that the contract does not list for the operation. */
  readonly codes?: Readonly<Record<string, DriftSeen>>
  /** HTTP statuses that the contract does not list. */
  readonly statuses?: Readonly<Record<string, DriftSeen>>
}

/** Where responses differ from the service contract. It can be stored as JSON. */
export interface DriftReport {
  /** The operations with differences, by the method that a caller writes, such as `sessions.create`. */
  readonly operations: Readonly<Record<string, OperationDrift>>
}

/** The kinds of differences, in the order of a report. */
export const driftKinds = ['fields', 'types', 'values', 'codes', 'statuses'] as const

/** One difference. */
export interface Drift {
  readonly operation: string
  readonly kind: (typeof driftKinds)[number]
  readonly name: string
  readonly type?: JsonType | 'missing'
}

/** A response may have any number of fields. Those beyond this number share one entry, for each operation and kind. */
const maxNames = 100
const otherNames = '*'

/** Returns a report of differences that were all found at one time. */
export function reportOf(found: readonly Drift[], at: string): DriftReport {
  return found.reduce<DriftReport>((report, { operation, kind, name, type }) => {
    const seen = { count: 1, firstSeenAt: at, lastSeenAt: at, ...(type !== undefined && { types: [type] }) }
    return mergeReports(report, { operations: { [operation]: { [kind]: { [name]: seen } } } })
  }, emptyReport)
}

export const emptyReport: DriftReport = { operations: {} }

/** Adds two reports. */
export const mergeReports = (a: DriftReport, b: DriftReport): DriftReport => ({
  operations: merged(a.operations, b.operations, (one, other) => {
    const kinds = driftKinds.filter((kind) => one[kind] ?? other[kind])
    return Object.fromEntries(kinds.map((kind) => [kind, mergeNames(one[kind], other[kind])]))
  }),
})

type Names = Readonly<Record<string, DriftSeen>>

function mergeNames(names: Names = {}, others: Names = {}): Names {
  const all: Record<string, DriftSeen> = { ...names }
  for (const [name, seen] of Object.entries(others)) {
    const isKnown = Object.hasOwn(all, name) || Object.keys(all).length < maxNames
    const key = isKnown ? name : otherNames
    all[key] = Object.hasOwn(all, key) ? added(all[key] as DriftSeen, seen) : seen
  }
  return all
}

function merged<T>(
  a: Readonly<Record<string, T>>,
  b: Readonly<Record<string, T>>,
  merge: (one: T, other: T) => T,
): Record<string, T> {
  const both = Object.entries(b).map(([name, value]) => [
    name,
    Object.hasOwn(a, name) ? merge(a[name] as T, value) : value,
  ])
  return { ...a, ...Object.fromEntries(both) }
}

const added = (a: DriftSeen, b: DriftSeen): DriftSeen => ({
  count: a.count + b.count,
  firstSeenAt: [a.firstSeenAt, b.firstSeenAt].sort()[0] as string,
  lastSeenAt: [a.lastSeenAt, b.lastSeenAt].sort()[1] as string,
  ...((a.types ?? b.types) && { types: [...new Set([...(a.types ?? []), ...(b.types ?? [])])].sort() }),
})

/** Reads a report that was JSON. Returns `undefined` if it is not one. */
export function readReport(value: unknown): DriftReport | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.operations)) return undefined
  const isReport = Object.values(value.operations).every(
    (operation) =>
      isJsonObject(operation) &&
      Object.entries(operation).every(
        ([kind, names]) =>
          driftKinds.some((one) => one === kind) && isJsonObject(names) && Object.values(names).every(isSeen),
      ),
  )
  return isReport ? { operations: value.operations as DriftReport['operations'] } : undefined
}

const isSeen = (value: unknown): value is DriftSeen =>
  isJsonObject(value) &&
  Number.isSafeInteger(value.count) &&
  [value.firstSeenAt, value.lastSeenAt].every((time) => typeof time === 'string') &&
  (value.types === undefined || Array.isArray(value.types))
