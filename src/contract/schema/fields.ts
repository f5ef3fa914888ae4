import * as z from 'zod/mini'
import type { JsonObject } from './json-object.ts'
import { listsFieldsOf } from './listed-fields.ts'
import type { Id, LiteralUnion, Unlisted } from './open-types.ts'
import { schema, type Type } from './schema.ts'

/**
 * A rule of our own, with the JSON Schema that states the same. zod keeps it, and the OpenAPI document is generated from it.
 *
 * @param path the part that the message is about
 */
export const rule = <T>(
  isValid: (value: T) => unknown,
  error: string | ((value: T) => string),
  jsonSchema: JsonObject,
  path: PropertyKey[] = [],
) =>
  z.refine<T>(isValid, {
    error: typeof error === 'string' ? error : ({ input }) => error(input as T),
    path,
    params: { jsonSchema },
  })

/** Accepts an absent or null value too, because the contract does not say how the service leaves a field out. */
export const maybe = <S extends Type>(type: S) => z.optional(z.nullable(type))

export const maybeText = () => maybe(z.string())

export const maybeNumber = () => maybe(z.number())

export const maybeFlag = () => maybe(z.boolean())

/** Accepts any string. Its type is an open union, such as `SessionStatus`. */
export const open = <Value extends string>() => z.string() as unknown as Type<Value | Unlisted>

/** Accepts any string that a caller sends. */
export const suggested = <Known extends string>() => z.string() as unknown as Type<LiteralUnion<Known>>

/** An id of the service. */
export const id = <Kind extends string>() => z.string() as unknown as Type<Id<Kind>>

/** A list whose length is limited. @param message names both limits */
export const listOf = <S extends Type>(
  item: S,
  { min, max }: { readonly min: number; readonly max: number },
  message: string,
) =>
  z.array(item).check(
    rule(({ length }: { length: number }) => length >= min && length <= max, message, {
      minItems: min,
      maxItems: max,
    }),
  )

/** Accepts one of the listed strings. A rule and not `z.enum`, which is 0.4 KiB of the 22 that a client may have. */
export const oneOf = <const Text extends string>(texts: readonly Text[]): Type<Text> => {
  const message = `must be ${texts.map((text) => JSON.stringify(text)).join(' or ')}`
  const isListed = (text: string) => texts.some((listed) => listed === text)
  return z.string().check(rule(isListed, message, { enum: texts })) as unknown as Type<Text>
}

export const nonEmpty = () =>
  z.string().check(rule((text) => text !== '', 'must not be empty', { minLength: 1 }))

export const wholeNumber = () =>
  z.number().check(rule(Number.isSafeInteger, 'must be a whole number', { type: 'integer' }))

/** A number that the contract calls an integer. Any number is accepted, because the response would be lost for it. */
export const statedInteger = () => z.number().check(rule(() => true, '', { type: 'integer' }))

export const absoluteUrl = () =>
  z.string().check(rule((text: string) => URL.canParse(text), 'must be an absolute URL', { format: 'uri' }))

/** An identifier that the contract gives no type. */
export const idOrNumber = () =>
  z.custom<string | number>((id) => typeof id === 'string' || typeof id === 'number', {
    error: 'must be a string or a number',
    params: { jsonSchema: { type: ['string', 'number'] } },
  })

/**
 * A field that the contract names without a type. The issues of `expected` are reported as `untyped`, so that a
 * response whose field has another type is never rejected for it.
 */
export const untyped = <S extends Type>(expected: S): Type<z.output<S>> =>
  listsFieldsOf(
    z.unknown().check((payload) => {
      for (const { path } of z.safeParse(expected, payload.value).error?.issues ?? [])
        payload.issues.push({
          code: 'custom',
          input: payload.value,
          message: 'has another type than expected',
          params: { untyped: true },
          path,
        })
    }),
    () => expected,
  ) as unknown as Type<z.output<S>>

/** Adds the issues of a part of a value whose schema depends on another part. */
export function reportPart(
  payload: Pick<z.core.ParsePayload, 'issues'>,
  expected: Type,
  part: unknown,
  path: readonly PropertyKey[],
): void {
  for (const issue of z.safeParse(expected, part).error?.issues ?? [])
    payload.issues.push({ ...issue, input: part, path: [...path, ...issue.path] } as z.core.$ZodRawIssue)
}

/** An object whose members the contract does not list. */
export const anyObject = /* @__PURE__ */ schema(() => z.looseObject({}))

/** A response whose shape the contract does not give. */
export const anything = /* @__PURE__ */ schema(() => z.unknown())
