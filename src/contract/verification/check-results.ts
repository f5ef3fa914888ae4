import { listOf, passOn } from '../schema/collections.ts'
import {
  type MoreFields,
  maybe,
  maybeNumber,
  maybeText,
  open,
  schemaFor,
  type Unlisted,
} from '../schema/fields.ts'
import { judged, ruled } from '../schema/rules.ts'
import { schema } from '../schema/schema.ts'
import * as z from '../schema/zod-core.ts'
import {
  type CheckDataByType,
  type CheckStatus,
  type CheckType,
  dataSchemas,
  isListed,
  type KnownCheckStatus,
} from './check-data.ts'

/** What every check has (contract, section 2.3). */
export interface CheckOf<Type, Data> extends MoreFields {
  /** Tells the members of {@link Check} apart. */
  readonly type: Type
  /** Only `passed` is a pass. */
  readonly status: CheckStatus
  /** Absent for age. */
  readonly score?: number | null | undefined
  /** What was found, by type of check. */
  readonly data: Data
  /** Has a `message` where it is an object; its other members are not shown. */
  readonly error?: CheckError | string | null | undefined
}

/** Why a check did not pass (contract, section 2.3). */
export interface CheckError extends MoreFields {
  /** For people to read; not stable. */
  readonly message?: string | null | undefined
}

/** A check of one listed type. */
export type CheckFor<Type extends CheckType> = CheckOf<Type, CheckDataByType[Type]>

/** One check of a session or a standalone call: a union told apart by `type`, open to types not listed yet. */
export type Check = { [Type in CheckType]: CheckFor<Type> }[CheckType] | CheckOf<Unlisted, MoreFields>

/** The answer of a standalone check (contract, section 2.5). A check that failed is a result, not an error. */
export interface StandaloneResult<Type extends CheckType = CheckType> extends MoreFields {
  /** Names this check at the service. */
  readonly session_id: string
  /** Of the check. */
  readonly status: CheckStatus
  /** The one check that was made. */
  readonly check: CheckFor<Type>
}

/** Who the ID says the person is (contract, section 2.5). */
export interface Identity extends MoreFields {
  /** As on the ID. */
  readonly name?: string | null | undefined
  /** Date of birth, as on the ID. */
  readonly dob?: string | null | undefined
}

/** The answer of the combined identity and licence check (contract, section 2.5). */
export interface CombinedResult extends MoreFields {
  /** Names these checks at the service. */
  readonly session_id: string
  /** Of the whole. `assertPassed` looks at each check as well. */
  readonly status: CheckStatus
  /** Who the ID says it is. */
  readonly identity?: Identity | null | undefined
  /** ID verification, liveness, face match and licence. */
  readonly checks: readonly Check[]
}

const checkError = schemaFor<CheckError>()(() => z.looseObject({ message: maybeText() }))

const isCheckError = (error: unknown) => typeof error === 'string' || checkError.accepts(error)

// A union would try every member and accept a listed type with foreign data as the open one: here the
// type alone picks the schema for `data`.
export const anyCheck = schema(
  () =>
    judged(
      z.looseObject({
        type: z.string(),
        status: open<KnownCheckStatus>(),
        score: maybeNumber(),
        data: z.looseObject({}),
        error: maybe(ruled(z.unknown(), isCheckError, 'must be a text, or an object with a text as message')),
      }),
      ({ type, data }) => !isListed(type) || dataSchemas[type].accepts(data),
      ({ type, data }, issues) => passOn(dataSchemas[type as CheckType].zod, data, ['data'], issues),
    ) as unknown as z.Type<Check>,
)

export const standalone = <Type extends CheckType>(type: Type) =>
  schemaFor<StandaloneResult<Type>>()(() =>
    z.looseObject({
      session_id: z.string(),
      status: open<KnownCheckStatus>(),
      check: ruled(anyCheck.zod, (check) => check.type === type, `must be ${type}`, [
        'type',
      ]) as unknown as z.Type<CheckFor<Type>>,
    }),
  )

export const combinedResult = schemaFor<CombinedResult>()(() =>
  z.looseObject({
    session_id: z.string(),
    status: open<KnownCheckStatus>(),
    identity: maybe(z.looseObject({ name: maybeText(), dob: maybeText() })),
    checks: listOf(anyCheck.zod),
  }),
)
