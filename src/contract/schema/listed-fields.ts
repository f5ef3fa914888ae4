import type * as z from 'zod/mini'
import type { JsonObject } from './json-object.ts'

type Schema = z.core.$ZodType

/** The parts of zod's definitions that say what is inside a schema. */
interface Definition {
  readonly type: string
  readonly shape?: Readonly<Record<string, Schema>>
  readonly catchall?: z.ZodMiniType
  readonly element?: Schema
  readonly innerType?: Schema
}

/** The schemas of a value's fields, or the one of every member of a list or a map. */
interface Listed {
  readonly fields?: Readonly<Record<string, Schema>> | undefined
  readonly each?: Schema
}

const dependent = new WeakMap<Schema, (owner: JsonObject) => Schema | undefined>()

/** Declares what lists the fields of a schema that does not list them itself, which may depend on its owner. */
export function listsFieldsOf<S extends Schema>(
  field: S,
  schemaOf: (owner: JsonObject) => Schema | undefined,
): S {
  dependent.set(field, schemaOf)
  return field
}

/** Returns what lists the fields of a schema that does not list them itself, if it does not depend on the owner. */
export const listedBy = (field: Schema): Schema | undefined => dependent.get(field)?.({})

/** @param owner the object that the value is a field of */
function listedIn(type: Schema | undefined, owner: JsonObject): Listed {
  if (type === undefined) return {}
  const schemaOf = dependent.get(type)
  if (schemaOf) return listedIn(schemaOf(owner), {})
  const { shape, catchall, element, innerType } = (type as z.ZodMiniType).def as Definition
  if (innerType) return listedIn(innerType, owner)
  // A map is an object without fields of its own whose other members have a schema.
  const each = element ?? (catchall?.type === 'object' ? catchall : undefined)
  return each ? { each } : { fields: shape }
}

/** A name in an object that the object's schema does not list. */
interface UnlistedName {
  readonly path: readonly PropertyKey[]
  /** The names that the schema lists there. */
  readonly listed: readonly string[]
}

/** Finds the names in a value that its schema does not list. */
export function unlistedNames(value: unknown, type: Schema): UnlistedName[] {
  const found: UnlistedName[] = []
  const visit = (part: unknown, { fields, each }: Listed, path: readonly PropertyKey[]) => {
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
export function listedPath(path: readonly PropertyKey[], value: unknown, type: Schema): PropertyKey[] {
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
