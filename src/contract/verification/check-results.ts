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

/** The fields of every check (contract, section 2.3). */
export interface CheckOf<Type, Data> extends MoreFields {
  /** The type of check. It discriminates the union {@link Check}. */
  readonly type: Type
  /** The status of the check. Only `passed` is a pass. */
  readonly status: CheckStatus
  /** The score. Absent for age. */
  readonly score?: number | null | undefined
  /** The data, by type of check. */
  readonly data: Data
  /** The error, if any. An object has a `message`. The contract does not list its other members. */
  readonly error?: CheckError | string | null | undefined
}

/** The error of a check (contract, section 2.3). */
export interface CheckError extends MoreFields {
  /** Description for people. Not stable. */
  readonly message?: string | null | undefined
}

/** A check of one listed type. */
export type CheckFor<Type extends CheckType> = CheckOf<Type, CheckDataByType[Type]>

/** One check of a session or a standalone call: a union discriminated by `type`, open to types that are not listed. */
export type Check = { [Type in CheckType]: CheckFor<Type> }[CheckType] | CheckOf<Unlisted, MoreFields>

/** The result of a standalone check (contract, section 2.5). A failed check is a result, not an error. */
export interface StandaloneResult<Type extends CheckType = CheckType> extends MoreFields {
  /** The service's id of this check. */
  readonly session_id: string
  /** The status of the check. */
  readonly status: CheckStatus
  /** The check itself. */
  readonly check: CheckFor<Type>
}

/** The person's identity as the ID states it (contract, section 2.5). */
export interface Identity extends MoreFields {
  /** The name on the ID. */
  readonly name?: string | null | undefined
  /** The date of birth on the ID. */
  readonly dob?: string | null | undefined
}

/** The result of the combined identity and licence check (contract, section 2.5). */
export interface CombinedResult extends MoreFields {
  /** The service's id of these checks. */
  readonly session_id: string
  /** The overall status. `assertPassed` also looks at each check. */
  readonly status: CheckStatus
  /** The identity that was read from the ID. */
  readonly identity?: Identity | null | undefined
  /** The ID verification, liveness, face match and licence checks. */
  readonly checks: readonly Check[]
}

const isCheckError = (error: unknown) =>
  error === null || typeof error === 'string' || (typeof error === 'object' && !Array.isArray(error))

/** The outcome of a check. Always validated, because money and identity depend on it. */
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
export const combinedOutcome = schema(() => z.looseObject({ checks: maybe(z.array(checkOutcome())) }))

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
