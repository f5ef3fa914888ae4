import { ruled } from './rules.ts'
import { type Schema, schema } from './schema.ts'
import * as z from './zod-core.ts'

/** A value that the service sends: the known ones autocomplete, others pass through. */
export type Open<Known extends string> = Known | (string & {})

/**
 * The `type` of a union member that the contract does not list yet. It is a string when the program
 * runs; a type of its own lets `switch (x.type)` narrow the listed members.
 */
export declare enum Unlisted {
  /** Stands for every other string. */
  type = 'a type that this version does not list',
}

/** Fields that a later version of the service may add; they are kept as they came. */
export interface MoreFields {
  readonly [field: string]: unknown
}

type Listed<T> = T extends readonly (infer Item)[]
  ? readonly Listed<Item>[]
  : T extends object
    ? { [K in keyof T as string extends K ? never : K]: Listed<T[K]> }
    : T

type Same<A, B> = [Listed<A>] extends [Listed<B>] ? ([Listed<B>] extends [Listed<A>] ? true : false) : false

/**
 * Ties a schema to the interface written for it: a field that is missing from one of the two, or of
 * another type there, does not compile.
 */
export function schemaFor<T>() {
  return <S extends z.Type>(
    make: () => S & (Same<z.output<S>, T> extends true ? unknown : { readonly mismatch: T }),
  ): Schema<T> => schema(make as () => z.Type<T>)
}

/** Absent or null: how the service leaves a field out is not always shown. */
export const maybe = <S extends z.Type>(schema: S) => z.optional(z.nullable(schema))

export const maybeText = () => maybe(z.string())

export const maybeNumber = () => maybe(z.number())

export const maybeFlag = () => maybe(z.boolean())

/** One of the listed strings, or any other: what the service sends is open. */
export const open = <Known extends string>() => z.string() as unknown as z.Type<Open<Known>>

/** An object of which nothing more is known. */
export const anyObject = schema(() => z.looseObject({}))

/** An identifier whose kind the contract does not show. */
export const idOrNumber = () =>
  ruled(
    z.unknown(),
    (id) => typeof id === 'string' || typeof id === 'number',
    'must be a string or a number',
  ) as z.Type<string | number>

/** A response of which the contract shows nothing. */
export const anything = schema(() => z.unknown())

export const nonEmpty = () => ruled(z.string(), (text) => text !== '', 'must not be empty')

export const absoluteUrl = () => ruled(z.string(), (text) => URL.canParse(text), 'must be an absolute URL')
