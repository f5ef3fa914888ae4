import * as z from 'zod/mini'
import { anyObject, maybe, maybeNumber, maybeText, open, reportUntyped, untyped } from '../schema/fields.ts'
import type { MoreFields, Unlisted } from '../schema/open-types.ts'
import { schema, schemaFor, type Type } from '../schema/schema.ts'
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

const isCheckError = (error: unknown) =>
  error === null || typeof error === 'string' || (typeof error === 'object' && !Array.isArray(error))

/** What decides about a check. Always validated, because money and identity depend on it. */
export const checkOutcome = () => z.looseObject({ type: z.string(), status: z.string() })

// A union would try every member and accept a listed type with another type's data as the open member. Here `type`
// alone selects the schema of `data`.
export const anyCheck = schema(
  () =>
    z
      .looseObject({
        type: z.string(),
        status: open<KnownCheckStatus>(),
        score: maybeNumber(),
        error: z.optional(untyped(z.custom(isCheckError))),
      })
      .check((payload) => {
        const { type, data } = payload.value
        reportUntyped(payload, isListed(type) ? dataSchemas[type].zod : anyObject.zod, data, ['data'])
      }) as unknown as Type<Check>,
)

/** The always validated part of a standalone result. */
export const standaloneOutcome = schema(() => z.looseObject({ status: z.string(), check: checkOutcome() }))

/** The always validated part of a combined result. */
export const combinedOutcome = schema(() =>
  z.looseObject({ status: z.string(), checks: maybe(z.array(checkOutcome())) }),
)

export const standalone = <Type extends CheckType>(type: Type) =>
  schemaFor<StandaloneResult<Type>>()(() =>
    z.looseObject({
      session_id: z.string(),
      status: open<KnownCheckStatus>(),
      check: anyCheck.zod.check(
        z.refine((check) => check.type === type, { error: `must be ${type}`, path: ['type'] }),
      ) as unknown as z.ZodMiniType<CheckFor<Type>>,
    }),
  )

export const combinedResult = schemaFor<CombinedResult>()(() =>
  z.looseObject({
    session_id: z.string(),
    status: open<KnownCheckStatus>(),
    identity: maybe(z.looseObject({ name: maybeText(), dob: maybeText() })),
    checks: z.array(anyCheck.zod),
  }),
)
