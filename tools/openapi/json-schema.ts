import * as z from 'zod/mini'
import { isJsonObject, listedBy } from '../../src/contract/schema/schema.ts'

/** A JSON Schema (2020-12), which is what OpenAPI 3.1 contains. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly const?: unknown
}

/** Converts the schema of a declaration. Objects stay open, because the service may add fields. */
export function toJsonSchema(type: z.core.$ZodType): JsonSchema {
  const converted = z.toJSONSchema(type, {
    io: 'input',
    unrepresentable: 'any',
    override: stateRules,
  })
  const { $schema: _, ...schema } = converted as JsonSchema
  return simplified(schema)
}

/**
 * Adds what zod cannot convert: the rules that the contract states as functions, and what stands for an untyped field.
 */
const stateRules: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod
  const expected = def.type === 'unknown' ? listedBy(zodSchema) : undefined
  if (expected) Object.assign(jsonSchema, withoutScalarTypes(toJsonSchema(expected)))
  for (const { params } of [def, ...(def.checks ?? []).map(({ _zod }) => _zod.def)] as RuleDefinition[])
    Object.assign(jsonSchema, merged(jsonSchema as JsonSchema, params?.jsonSchema ?? {}))
}

/** The part of a definition that a `rule` of the contract sets. */
interface RuleDefinition {
  readonly params?: { readonly jsonSchema?: JsonSchema }
}

/** Adds keywords to a schema and to its parts. */
export function merged(schema: JsonSchema, more: JsonSchema): JsonSchema {
  const parts = Object.entries(more).map(([name, value]) => {
    const own = schema[name]
    return [name, isJsonObject(own) && isJsonObject(value) ? merged(own, value) : value]
  })
  return { ...schema, ...Object.fromEntries(parts) }
}

const isStructured = ({ properties, items, anyOf }: JsonSchema): boolean =>
  properties !== undefined || items !== undefined || anyOf?.some(isStructured) === true

/** Keeps the members of what the contract names without a type, and drops the types that the clients expect. */
function withoutScalarTypes(schema: JsonSchema): JsonSchema {
  if (!isStructured(schema)) return {}
  const { properties, items, anyOf } = schema
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties, withoutScalarTypes) }),
    ...(items && { items: withoutScalarTypes(items) }),
    ...(anyOf && { anyOf: anyOf.map((one) => (isStructured(one) ? withoutScalarTypes(one) : one)) }),
  }
}

export const mapValues = <From, To>(
  record: Readonly<Record<string, From>>,
  convert: (value: From, name: string) => To,
): Record<string, To> => Object.fromEntries(Object.entries(record).map(([name, value]) => [name, convert(value, name)]))

const isEmpty = (schema: unknown) => isJsonObject(schema) && Object.keys(schema).length === 0

export const isNull = ({ type }: JsonSchema): boolean => type === 'null'

/** Writes a schema in the shortest form that means the same. */
function simplified({ additionalProperties, properties, items, anyOf, ...rest }: JsonSchema): JsonSchema {
  const parts = {
    ...rest,
    ...(properties && !isEmpty(properties) && { properties: mapValues(properties, simplified) }),
    ...(items && { items: simplified(items) }),
    ...(additionalProperties &&
      !isEmpty(additionalProperties) && { additionalProperties: simplified(additionalProperties) }),
  }
  if (anyOf === undefined) return parts
  const members = anyOf.map(simplified)
  if (members.some(isEmpty)) return parts
  const [value = {}, ...others] = members.filter((member) => !isNull(member))
  const isScalar = typeof value.type === 'string' && !isStructured(value) && value.enum === undefined
  const isNullable = members.some(isNull) && others.length === 0
  if (isNullable && isScalar) return { ...parts, ...value, type: [String(value.type), 'null'] }
  return { ...parts, anyOf: members }
}
