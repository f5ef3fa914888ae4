import type { ZodMiniType } from 'zod/mini'
import type { Id, Unlisted } from '../schema/open-types.ts'
import {
  anyObject,
  id,
  isJsonObject,
  listsFieldsOf,
  maybe,
  maybeNumber,
  maybeText,
  open,
  reportPart,
  rule,
  schema,
  schemaFor,
  type Type,
  untyped,
  withDefaults,
} from '../schema/schema.ts'
import * as z from '../schema/zod.ts'
import {
  type AgeData,
  type CheckDataByType,
  type CheckStatus,
  type CheckType,
  dataSchemas,
  isListed,
} from './check-data.ts'
import type { AgeBand } from './check-params.ts'

/** The fields of every check (contract, section 2.3). */
export interface CheckOf<Type, Data> {
  /** The type of check. It discriminates the union {@link Check}. */
  readonly type: Type
  /** The status of the check. Only `passed` is a pass. */
  readonly status: CheckStatus
  /** The score. Absent for age. */
  readonly score?: number | null | undefined
  /** The data, by type of check. An empty object if the service sent none. */
  readonly data: Data
  /** The error, if any. */
  readonly error?:
    | {
        /** Description for people. Not stable. */
        readonly message?: string | null | undefined
      }
    | string
    | null
    | undefined
}

/** A check of a type, or of one of several. The data of a type that is not listed is open. */
export type CheckFor<Type extends CheckType | Unlisted> = {
  [Each in Type]: CheckOf<Each, DataByType[Each]>
}[Type]

type DataByType = CheckDataByType & { readonly [Each in Unlisted]: Readonly<Record<string, unknown>> }

/** One check of a session or a standalone call: a union discriminated by `type`, open to types that are not listed. */
export type Check =
  | { [Type in CheckType]: CheckOf<Type, CheckDataByType[Type]> }[CheckType]
  | CheckOf<Unlisted, Readonly<Record<string, unknown>>>

/** The result of a standalone check (contract, section 2.5). A failed check is a result, not an error. */
export interface StandaloneResult<Type extends CheckType = CheckType> {
  /** Identifier of the session. The contract does not say whether `sessions.retrieve` finds it. */
  readonly session_id: Id<'session'>
  /** The status of the check. */
  readonly status: CheckStatus
  /** The check itself. */
  readonly check: CheckFor<Type>
}

/** The result of an age check, with the bands that were requested. */
export interface AgeResult<Band extends AgeBand = AgeBand> extends Omit<StandaloneResult<'age'>, 'check'> {
  /** The check itself. */
  readonly check: CheckOf<'age', AgeData<Band>>
}

/** The result of the combined identity and license check (contract, section 2.5). */
export interface CombinedResult {
  /** Identifier of the session. The contract does not say whether `sessions.retrieve` finds it. */
  readonly session_id: Id<'session'>
  /** The overall status. `assertPassed` also looks at each check. */
  readonly status: CheckStatus
  /** The person's identity as the ID states it. */
  readonly identity?:
    | {
        /** The name on the ID. */
        readonly name?: string | null | undefined
        /** The date of birth on the ID. */
        readonly dob?: string | null | undefined
      }
    | null
    | undefined
  /** The ID verification, liveness, face match and license checks. */
  readonly checks: Check[]
}

const isCheckError = (error: unknown) =>
  error === null || typeof error === 'string' || (typeof error === 'object' && !Array.isArray(error))

/** An object with a `message`. In one place, the contract says that the error itself is the message (section 4.3). */
const checkErrorSchema = {
  anyOf: [
    { type: 'object', properties: { message: { type: ['string', 'null'] } } },
    { type: 'string' },
    { type: 'null' },
  ],
}

/** The outcome of a check. Always validated, because money and identity depend on it. */
export const checkOutcome = () => z.looseObject({ type: z.string(), status: z.string() })

// A union would try every member and accept a listed type with another type's data as the open member. Here `type`
// alone selects the schema of `data`.
const checkData = () =>
  listsFieldsOf(z.optional(z.unknown()), ({ type }) =>
    typeof type === 'string' && isListed(type) ? dataSchemas[type].zod : undefined,
  )

export const anyCheck = /* @__PURE__ */ schema(
  () =>
    z
      .looseObject({
        type: open<CheckType>(),
        status: open<CheckStatus>(),
        score: maybeNumber(),
        error: z.optional(untyped(z.custom(isCheckError, { params: { jsonSchema: checkErrorSchema } }))),
        data: checkData(),
      })
      .check((payload) => {
        const { type, data } = payload.value
        reportPart(payload, isListed(type) ? dataSchemas[type].zod : anyObject.zod, data, ['data'])
      }) as unknown as Type<Check>,
)

/** Gives each check of a parsed payload its `data`, which the service may leave out. */
export function withCheckData(payload: unknown): unknown {
  if (!isJsonObject(payload)) return payload
  const { check, checks } = payload
  for (const one of Array.isArray(checks) ? checks : [check])
    if (isJsonObject(one) && !isJsonObject(one.data)) withDefaults(one, { data: {} })
  return payload
}

/** The always validated part of a standalone result. */
export const standaloneOutcome = /* @__PURE__ */ schema(() =>
  z.looseObject({ status: z.string(), check: checkOutcome() }),
)

/** The always validated part of a combined result. */
export const combinedOutcome = /* @__PURE__ */ schema(() =>
  z.looseObject({ status: z.string(), checks: maybe(z.array(checkOutcome())) }),
)

export const standalone = <Type extends CheckType>(type: Type) =>
  schemaFor<StandaloneResult<Type>>()(() =>
    z.looseObject({
      session_id: id<'session'>(),
      status: open<CheckStatus>(),
      check: anyCheck.zod.check(
        rule(
          (check: { type: string }) => check.type === type,
          `must be ${type}`,
          { properties: { type: { const: type } } },
          ['type'],
        ),
      ) as unknown as ZodMiniType<StandaloneResult<Type>['check']>,
    }),
  )

export const combinedResult = /* @__PURE__ */ schemaFor<CombinedResult>()(() =>
  z.looseObject({
    session_id: id<'session'>(),
    status: open<CheckStatus>(),
    identity: maybe(z.looseObject({ name: maybeText(), dob: maybeText() })),
    checks: z.array(anyCheck.zod),
  }),
)
