import type * as z from 'zod/mini'
import type { JsonObject } from './json-object.ts'

/** The fields that a schema lists, and how to find those of its parts. */
interface Listing {
  readonly names: ReadonlySet<string>
  readonly parts: readonly Part[]
  readonly open: readonly OpenField[]
}

/** A field whose values the contract lists, and which accepts any other. It may be a list of such values. */
interface OpenField {
  readonly name: string
  readonly values: readonly string[]
}

interface Part {
  readonly name: string
  readonly find: Find
}

/** A list or a map: every member has the same fields. */
interface Members {
  readonly each: Listing | Members
}

type Listed = Listing | Members | undefined
/** Finds what lists a part. For some parts it depends on another field of their owner. */
type Find = (owner: JsonObject) => Listed

/** The parts of zod's definitions that say what is inside a schema. */
interface Definition {
  readonly type: string
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>
  readonly catchall?: z.ZodMiniType
  readonly element?: z.ZodMiniType
  readonly innerType?: z.ZodMiniType
}

const dependent = new WeakMap<z.core.$ZodType, (owner: JsonObject) => z.core.$ZodType | undefined>()
const openValues = new WeakMap<z.core.$ZodType, readonly string[]>()
const listings = new WeakMap<z.core.$ZodType, { readonly listed: Listed }>()
type Names = readonly string[]
const none: Names = []

/** The names of the unlisted fields of each object of a result. All copies of the package in a process share it. */
function notes(): WeakMap<object, Names> {
  const shared = globalThis as { [noted]?: WeakMap<object, Names> }
  shared[noted] ??= new WeakMap()
  return shared[noted]
}
const noted: unique symbol = /* @__PURE__ */ Symbol.for('identity-service-sdk.unlisted-fields')

/** Declares what lists the fields of a schema that does not list them itself, which may depend on its owner. */
export function listsFieldsOf<S extends z.core.$ZodType>(
  field: S,
  schemaOf: (owner: JsonObject) => z.core.$ZodType | undefined,
): S {
  dependent.set(field, schemaOf)
  return field
}

/** Declares the values that the contract lists for a field that accepts any. */
export function listsValues<S extends z.core.$ZodType>(field: S, values: readonly string[]): S {
  openValues.set(field, values)
  return field
}

/** Returns the values that a schema lists, also if it is optional, a list, or not typed by the contract. */
function valuesOf(type: z.core.$ZodType | undefined): readonly string[] | undefined {
  if (type === undefined) return undefined
  const { element, innerType } = (type as z.ZodMiniType).def as Definition
  return openValues.get(type) ?? valuesOf(innerType ?? element ?? listedBy(type))
}

/** Returns what lists the fields of a schema that does not list them itself, if it does not depend on the owner. */
export const listedBy = (field: z.core.$ZodType): z.core.$ZodType | undefined => dependent.get(field)?.({})

function listingOf(type: z.core.$ZodType | undefined): Listed {
  if (type === undefined) return undefined
  const known = listings.get(type)
  if (known) return known.listed
  const listed = read(type)
  listings.set(type, { listed })
  return listed
}

function read(type: z.core.$ZodType): Listed {
  const { shape, catchall, element, innerType } = (type as z.ZodMiniType).def as Definition
  const schemaOf = dependent.get(type)
  if (schemaOf) return listingOf(schemaOf({}))
  if (innerType) return listingOf(innerType)
  // A map is an object without fields of its own whose other members have a schema.
  const each = listingOf(element ?? (catchall?.type === 'object' ? catchall : undefined))
  if (each) return { each }
  if (!shape) return undefined
  const parts: Part[] = []
  const open: OpenField[] = []
  for (const [name, field] of Object.entries(shape)) {
    const schemaOf = dependent.get(field)
    const listed = listingOf(field)
    if (schemaOf) parts.push({ name, find: (owner) => listingOf(schemaOf(owner)) })
    else if (listed) parts.push({ name, find: () => listed })
    const values = valuesOf(field)
    if (values) open.push({ name, values })
  }
  return { names: new Set(Object.keys(shape)), parts, open }
}

/** One object inside a value. */
interface Visited {
  readonly owner: object
  /** The path to the owner. It changes after the callback. */
  readonly path: readonly (string | number)[]
  /** Its unlisted fields. */
  readonly names: Names
  /** The names that the schema lists. */
  readonly listed: ReadonlySet<string>
  /** Its fields whose values the contract lists. */
  readonly open: readonly OpenField[]
}

type Path = (string | number)[]
type Found = (object: Visited) => void

/** Remembers which fields of a result, and of everything in it, its schema does not list. */
export function noteUnlistedFields(value: unknown, type: z.core.$ZodType): void {
  const names = notes()
  eachObject(value, type, ({ owner, names: unlisted }) => names.set(owner, unlisted))
}

/** Calls `found` for each object in a value that the schema describes. */
export const eachObject = (value: unknown, type: z.core.$ZodType, found: Found): void =>
  visit(value, listingOf(type), [], found)

/** @param path the path to the value, which is changed while its parts are visited */
function visit(value: unknown, listed: Listed, path: Path, found: Found): void {
  if (listed === undefined || typeof value !== 'object' || value === null) return
  if ('each' in listed) {
    // Not `Object.entries`, which would make the visit of a webhook twice as slow.
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) visitPart(value[i], listed.each, path, i, found)
    } else {
      found({ owner: value, path, names: none, listed: new Set(), open: [] })
      for (const name in value) visitPart((value as JsonObject)[name], listed.each, path, name, found)
    }
    return
  }
  let others = none
  for (const name in value) if (!listed.names.has(name)) others = [...others, name]
  found({ owner: value, path, names: others, listed: listed.names, open: listed.open })
  for (const { name, find } of listed.parts)
    visitPart((value as JsonObject)[name], find(value as JsonObject), path, name, found)
}

function visitPart(part: unknown, listed: Listed, path: Path, name: string | number, found: Found): void {
  path.push(name)
  visit(part, listed, path, found)
  path.pop()
}

/** Returns a path with `*` for each name that the schema does not list, such as that of a member of a map. */
export function listedPath(
  path: readonly PropertyKey[],
  value: unknown,
  type: z.core.$ZodType,
): PropertyKey[] {
  let listed = listingOf(type)
  let owner = value
  return path.map((step) => {
    const isListed =
      typeof step === 'number' ||
      (listed !== undefined && 'names' in listed && listed.names.has(String(step)))
    if (listed !== undefined && 'each' in listed) listed = listed.each
    else listed = listed?.parts.find(({ name }) => name === step)?.find(Object(owner))
    owner = Object(owner)[step]
    return isListed ? step : '*'
  })
}

/** Makes a copy of a result have its unlisted fields, except those that the package replaces or drops. */
export function copyUnlistedFields(result: object, copy: object, replaced: readonly string[]): void {
  const kept = notes()
    .get(result)
    ?.filter((name) => !replaced.includes(name))
  if (kept) notes().set(copy, kept)
}

/**
 * Returns the fields of a result that the contract does not list. The service may add fields at any time: they are kept,
 * but the types do not contain them, so that a misspelled name does not compile.
 *
 * @param result what a method or `verifyWebhook` of any copy of the package returned, or an object in it
 * @returns `undefined` for everything else, such as a copy, and for data whose fields the contract does not list at all.
 *   What is inside of the `data` of an event's check counts as such: `sessions.decision` returns it in full
 *
 * @example
 * const session = await client.sessions.retrieve('sess_123')
 * const workflow = unlistedFields(session)?.workflow_id
 */
export function unlistedFields(result: object): Record<string, unknown> | undefined {
  const names = notes().get(result)
  return names && Object.fromEntries(names.map((name) => [name, (result as JsonObject)[name]]))
}
