import {
  type $loose,
  $ZodBoolean,
  type $ZodCheck,
  $ZodNullable,
  $ZodNumber,
  $ZodObject,
  $ZodOptional,
  $ZodString,
  $ZodUnknown,
  clone,
  type output,
  type ParsePayload,
  type $ZodType as Type,
} from 'zod/v4/core'

/*
 * What the contract takes from zod: the core of `zod/mini`, without the methods that it adds to every schema. Nobody
 * outside calls those, and each program that reads a webhook would load them.
 */

export type { output, Type }

type Shape = Readonly<Record<string, Type>>

export const string = () => new $ZodString({ type: 'string' })

export const number = () => new $ZodNumber({ type: 'number' })

export const boolean = () => new $ZodBoolean({ type: 'boolean' })

export const unknown = () => new $ZodUnknown({ type: 'unknown' })

export const optional = <S extends Type>(innerType: S) =>
  new $ZodOptional({ type: 'optional', innerType }) as $ZodOptional<S>

export const nullable = <S extends Type>(innerType: S) =>
  new $ZodNullable({ type: 'nullable', innerType }) as $ZodNullable<S>

/** An object that may have more members than those that are named. */
export const looseObject = <S extends Shape>(shape: S) =>
  new $ZodObject({ type: 'object', shape, catchall: unknown() }) as $ZodObject<S, $loose>

/** What is wrong with a value, or with a part of it. */
export interface Issue {
  /** To the part, from the value that was looked at. */
  readonly path: readonly PropertyKey[]
  /** What a rule of ours says. */
  readonly message?: string | undefined
  /** What zod would have taken. */
  readonly expected?: unknown
}

/** What zod hands to a check. */
export interface Checked<T> {
  readonly value: T
  readonly issues: Issue[]
}

/** The same schema, with a check behind those that it has. */
export function checked<S extends Type>(schema: S, check: (payload: Checked<output<S>>) => void): S {
  const { def } = schema._zod
  const own = { _zod: { check, def: { check: 'custom' }, onattach: [] } } as unknown as $ZodCheck<never>
  return clone(schema, { ...def, checks: [...(def.checks ?? []), own] })
}

/** All that is wrong with a value; empty if nothing is. */
export function issuesOf(schema: Type, value: unknown): Issue[] {
  // No schema has a part that answers later.
  const { issues } = schema._zod.run({ value, issues: [] }, { async: false }) as ParsePayload
  return issues.map(({ path = [], message, expected }) => ({ path, message, expected }))
}
