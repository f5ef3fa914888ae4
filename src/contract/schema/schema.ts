import type * as zod from 'zod/mini'
import type { Id, Unlisted } from './open-types.ts'
import * as z from './zod.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Fills in the fields of a parsed object that are absent or null. Leaves anything else as it is. The object itself is
 * changed, because to copy one with a million members takes longer than to parse it.
 */
export function withDefaults(value: unknown, defaults: JsonObject): unknown {
  if (!isJsonObject(value)) return value
  const missing = Object.entries(defaults).filter(([name]) => (value[name] ?? null) === null)
  return Object.assign(value, Object.fromEntries(missing))
}

/** A schema of zod/mini whose output is `T`. */
export type Type<T = unknown> = zod.ZodMiniType<T>

/** One thing that is wrong with a value. */
export interface Issue {
  /** Path to the part that is wrong, from the value that was checked. */
  readonly path: readonly PropertyKey[]
  /** What is wrong, to be read after the path: `must not be empty`. The value is never quoted. */
  readonly message: string
  /** True if the contract gives the part no type: its type is reported and never rejected. */
  readonly untyped: boolean
}

/**
 * What a value has to be. The zod schema is built at the first check, because a program imports all schemas and uses
 * few of them.
 */
export class Schema<T = unknown> {
  readonly #build: () => Type<T>
  #built: Type<T> | undefined

  constructor(build: () => Type<T>) {
    this.#build = build
  }

  /** The zod schema, for use inside other schemas. */
  get zod(): Type<T> {
    this.#built ??= this.#build()
    return this.#built
  }

  /** Returns what is wrong with a value, up to a hundred issues: an empty array if nothing is. */
  issues(value: unknown): readonly Issue[] {
    return firstIssues(this.zod, value).map((issue) => describe(issue, value))
  }
}

type ZodType = zod.core.$ZodType

/** The parts of zod's definitions that say what a schema accepts, and what is inside it. */
interface Definition {
  readonly type: string
  readonly checks?: readonly zod.core.$ZodCheck[]
  readonly format?: string
  readonly shape?: Readonly<Record<string, ZodType>>
  readonly catchall?: zod.ZodMiniType
  readonly element?: ZodType
  readonly innerType?: ZodType
}

const definitionOf = (type: ZodType): Definition => (type as zod.ZodMiniType).def as Definition

/** Says whether a schema accepts a value. */
type Acceptor = (value: unknown) => boolean

const acceptors = /* @__PURE__ */ new WeakMap<ZodType, Acceptor>()

/**
 * Returns whether a schema accepts a value, in less than an eighth of the time that zod takes for a long list: zod
 * looks up the parts of the schema for each value, and this function once. zod checks the kinds of schema that it does
 * not support.
 */
function accepts(type: ZodType, value: unknown): boolean {
  return acceptorOf(type)(value)
}

function acceptorOf(type: ZodType): Acceptor {
  const known = acceptors.get(type)
  if (known) return known
  const definition = definitionOf(type)
  const { checks = [], format } = definition
  // zod calls those of our own rules with a value whose type is right.
  const rules = checks.flatMap(({ _zod: { def } }) => (def as Partial<zod.core.$ZodCustomDef>).fn ?? [])
  const isOwn = rules.length === checks.length && format === undefined
  const own = isOwn ? byType[definition.type]?.(definition as PartsOfType) : undefined
  const acceptor: Acceptor = own
    ? rules.reduce<Acceptor>((before, isValid) => (value) => before(value) && Boolean(isValid(value)), own)
    : (value) => z.validate(type, value)
  acceptors.set(type, acceptor)
  return acceptor
}

/** The definition of a schema of one type, which has the parts of that type. */
type PartsOfType = Definition & Required<Pick<Definition, 'shape' | 'element' | 'innerType'>>

const byType: Readonly<Record<string, (parts: PartsOfType) => Acceptor | undefined>> = {
  unknown: () => () => true,
  string: () => (value) => typeof value === 'string',
  boolean: () => (value) => typeof value === 'boolean',
  number: () => Number.isFinite,
  nullable: ({ innerType }) => orElse(null, innerType),
  optional: ({ innerType }) => orElse(undefined, innerType),
  array({ element }) {
    const accept = acceptorOf(element)
    return (value) => {
      if (!Array.isArray(value)) return false
      // Not `every`, which skips the holes of a list.
      for (const member of value) if (!accept(member)) return false
      return true
    }
  },
  object({ shape, catchall }) {
    if (catchall !== undefined && catchall.def.type !== 'unknown') return undefined
    const fields = Object.entries(shape).map(([name, type]) => [name, acceptorOf(type)] as const)
    return (value) => {
      if (!isJsonObject(value)) return false
      // Not `every`, whose callback would be a new function for each object of a list.
      for (const [name, accept] of fields) if (!accept(value[name])) return false
      return true
    }
  },
}

function orElse(none: null | undefined, innerType: ZodType): Acceptor {
  const accept = acceptorOf(innerType)
  return (value) => value === none || accept(value)
}

/** Maximum number of issues that are looked for, because a response of a few bytes may have millions. */
const maxIssues = 100

function firstIssues(type: ZodType, value: unknown): readonly zod.core.$ZodIssue[] {
  if (accepts(type, value)) return []
  const { error } = z.safeParse(type, untilMaxIssues(value, listedIn(type, {})))
  return error?.issues.slice(0, maxIssues) ?? []
}

/** Returns a value without the members of its lists and maps that follow the hundredth wrong one. */
function untilMaxIssues(value: unknown, { fields, each }: InnerSchemas): unknown {
  if (Array.isArray(value)) return each ? [...firstMembers(value, each)] : value
  if (!isJsonObject(value)) return value
  if (each) {
    const names = Object.keys(value)
    return Object.fromEntries([...firstMembers(Object.values(value), each)].map((one, i) => [names[i], one]))
  }
  if (!fields) return value
  // Only the listed fields, because to copy a million others takes longer than to parse them.
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      Object.hasOwn(value, name) ? [[name, untilMaxIssues(value[name], listedIn(field, value))]] : [],
    ),
  )
}

function* firstMembers(members: readonly unknown[], each: ZodType): Generator<unknown> {
  const inside = listedIn(each, {})
  let wrong = 0
  for (const member of members) {
    if (accepts(each, member)) yield member
    else {
      yield untilMaxIssues(member, inside)
      wrong += 1
      if (wrong === maxIssues) return
    }
  }
}

/** Declares a schema that is built at its first use. */
export const schema = <S extends Type>(build: () => S): Schema<zod.output<S>> =>
  new Schema(build as unknown as () => Type<zod.output<S>>)

type Listed<T> = T extends readonly (infer Item)[]
  ? readonly Listed<Item>[]
  : T extends object
    ? { [K in keyof T as string extends K ? never : K]: Listed<T[K]> }
    : T

type Same<A, B> = [Listed<A>] extends [Listed<B>] ? ([Listed<B>] extends [Listed<A>] ? true : false) : false

/**
 * Declares a schema for an interface. A field that one of the two lacks, or that has another type there, does not
 * compile.
 */
export function schemaFor<T>() {
  return <S extends Type>(
    build: () => S & (Same<zod.output<S>, T> extends true ? unknown : { readonly mismatch: T }),
  ): Schema<T> => schema(build as unknown as () => Type<T>)
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  number: 'a finite number',
  object: 'an object',
  string: 'a string',
}

function describe(issue: zod.core.$ZodIssue, value: unknown): Issue {
  const untyped = issue.code === 'custom' && issue.params?.untyped === true
  return { path: issue.path, message: messageOf(issue, value), untyped }
}

function messageOf(issue: zod.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'custom') return issue.message
  if (valueAt(value, issue.path) === undefined) return 'is required'
  if (issue.code !== 'invalid_type') return issue.message
  return `must be ${typeNames[issue.expected] ?? 'of the documented type'}`
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((part, step) => (part as Record<PropertyKey, unknown> | undefined | null)?.[step], value)

/** The schemas of a value's fields, or the one of every member of a list or a map. */
interface InnerSchemas {
  readonly fields?: Readonly<Record<string, ZodType>> | undefined
  readonly each?: ZodType
}

const dependent = new WeakMap<ZodType, (owner: JsonObject) => ZodType | undefined>()

/** Declares what lists the fields of a schema that does not list them itself, which may depend on its owner. */
export function listsFieldsOf<S extends ZodType>(field: S, schemaOf: (owner: JsonObject) => ZodType | undefined): S {
  dependent.set(field, schemaOf)
  return field
}

/** Returns what lists the fields of a schema that does not list them itself, if it does not depend on the owner. */
export const listedBy = (field: ZodType): ZodType | undefined => dependent.get(field)?.({})

/** @param owner the object that the value is a field of */
function listedIn(type: ZodType | undefined, owner: JsonObject): InnerSchemas {
  if (type === undefined) return {}
  const schemaOf = dependent.get(type)
  if (schemaOf) return listedIn(schemaOf(owner), {})
  const { shape, catchall, element, innerType } = definitionOf(type)
  if (innerType) return listedIn(innerType, owner)
  // A map is an object without fields of its own whose other members have a schema.
  const each = element ?? (catchall?.type === 'object' ? catchall : undefined)
  // An object without fields of its own is free-form data.
  return each ? { each } : { fields: shape && Object.keys(shape).length > 0 ? shape : undefined }
}

/** A name in an object that the object's schema does not list. */
export interface UnlistedName {
  readonly path: readonly PropertyKey[]
  /** The names that the schema lists there. */
  readonly listed: readonly string[]
}

/** Finds the names in a value that its schema does not list. */
export function unlistedNames(value: unknown, type: ZodType): UnlistedName[] {
  const found: UnlistedName[] = []
  const visit = (part: unknown, { fields, each }: InnerSchemas, path: readonly PropertyKey[]) => {
    // Without this, every byte of an image would be visited.
    if (typeof part !== 'object' || part === null || (!fields && !each)) return
    for (const [name, field] of Object.entries(part)) {
      const place = [...path, name]
      if (fields && !Object.hasOwn(fields, name)) found.push({ path: place, listed: Object.keys(fields) })
      else visit(field, listedIn(each ?? fields?.[name], part as JsonObject), place)
    }
  }
  visit(value, listedIn(type, {}), [])
  return found
}

/** Returns a path with `*` for each name that the schema does not list, such as that of a member of a map. */
export function listedPath(path: readonly PropertyKey[], value: unknown, type: ZodType): PropertyKey[] {
  let listed = listedIn(type, {})
  let owner = value
  return path.map((step) => {
    const { fields, each } = listed
    const field = fields && Object.hasOwn(fields, step) ? fields[String(step)] : undefined
    listed = listedIn(each ?? field, Object(owner))
    owner = Object(owner)[step]
    return typeof step === 'number' || field ? step : '*'
  })
}

/**
 * A rule of our own, with the JSON Schema that states the same. zod keeps it, and the OpenAPI document is generated
 * from it.
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
export const suggested = <Known extends string>() => z.string() as unknown as Type<Known | (string & {})>

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
  return z
    .string()
    .check(
      rule((text: string) => texts.some((listed) => listed === text), message, { enum: texts }),
    ) as unknown as Type<Text>
}

export const nonEmpty = () => z.string().check(rule((text) => text !== '', 'must not be empty', { minLength: 1 }))

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
export function untyped<S extends Type>(expected: S): Type<zod.output<S>> {
  const type = z.unknown().check((payload) => {
    for (const { path } of firstIssues(expected, payload.value))
      payload.issues.push({
        code: 'custom',
        input: payload.value,
        message: 'has another type than expected',
        params: { untyped: true },
        path,
      })
  })
  acceptors.set(type, acceptorOf(expected))
  return listsFieldsOf(type, () => expected) as unknown as Type<zod.output<S>>
}

/** Adds the issues of a part of a value whose schema depends on another part. */
export function reportPart(
  payload: Pick<zod.core.ParsePayload, 'issues'>,
  expected: Type,
  part: unknown,
  path: readonly PropertyKey[],
): void {
  for (const issue of firstIssues(expected, part))
    payload.issues.push({ ...issue, input: part, path: [...path, ...issue.path] } as zod.core.$ZodRawIssue)
}

/** An object whose members the contract does not list. */
export const anyObject = /* @__PURE__ */ schema(() => z.looseObject({}))

/** A response whose shape the contract does not give. */
export const anything = /* @__PURE__ */ schema(() => z.unknown())

/** Returns the names of the fields that failed, without their values. */
export const issuePaths = (issues: readonly Pick<Issue, 'path'>[], root: string): string[] =>
  issues.map(({ path }) => path.map(String).join('.') || root)
