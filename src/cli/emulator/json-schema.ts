// Vowels: cspell:ignore aeiou

import { nearestName } from '../../runtime/nearest-name.ts'

/** The part of JSON Schema that describes the configuration. */
export interface JsonSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: boolean | JsonSchema
  readonly required?: readonly string[]
  readonly format?: string
}

/** What is wrong with a value. */
interface Problem {
  /** Such as `members.0.email`. Empty for the value itself. */
  readonly path: string
  readonly message: string
}

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)
const below = (path: string, name: string | number) => (path === '' ? `${name}` : `${path}.${name}`)

/** Returns the first thing that is wrong with a value, or `undefined` if nothing is. A value is never quoted. */
export function schemaProblem(schema: JsonSchema, value: unknown, path = ''): Problem | undefined {
  if (schema.anyOf) return problemOfAny(schema.anyOf, value, path)
  if (schema.enum && !schema.enum.includes(value))
    return { path, message: `must be one of ${schema.enum.map(String).join(', ')}` }
  if (schema.type !== undefined && typeOf(value) !== schema.type)
    return { path, message: `must be ${nameOf(schema.type)}` }
  if (schema.format === 'date-time' && Number.isNaN(Date.parse(String(value))))
    return { path, message: 'must be a time in ISO 8601' }
  if (Array.isArray(value)) return firstOf(value.entries(), schema.items, path)
  return typeof value === 'object' && value !== null ? problemOfObject(schema, value, path) : undefined
}

const nameOf = (type: string) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

function problemOfAny(schemas: readonly JsonSchema[], value: unknown, path: string): Problem | undefined {
  const problems = schemas.map((one) => ({ one, problem: schemaProblem(one, value, path) }))
  if (problems.some(({ problem }) => problem === undefined)) return undefined
  // What is wrong inside of the member of this type says more than that the value is none of them.
  const same = problems.filter(({ one }) => one.type === typeOf(value))
  const [only] = same
  if (same.length === 1 && only) return only.problem
  const allowed = schemas.map(
    ({ type, enum: listed }) => listed?.map(String).join(', ') ?? nameOf(type ?? 'value'),
  )
  return { path, message: `must be ${allowed.join(', or ')}` }
}

function firstOf(
  entries: Iterable<readonly [string | number, unknown]>,
  schema: JsonSchema = {},
  path: string,
): Problem | undefined {
  for (const [name, value] of entries) {
    const problem = schemaProblem(schema, value, below(path, name))
    if (problem) return problem
  }
  return undefined
}

function problemOfObject(schema: JsonSchema, value: object, path: string): Problem | undefined {
  const { properties = {}, additionalProperties = true, required = [] } = schema
  const names = Object.keys(properties)
  const others = Object.entries(value).filter(([name]) => !Object.hasOwn(properties, name))
  const [unknown] = others.map(([name]) => name)
  if (additionalProperties === false && unknown !== undefined) {
    const nearest = nearestName(unknown, names)
    const advice = nearest === undefined ? `The options are ${names.join(', ')}.` : `Did you mean ${nearest}?`
    return { path: below(path, unknown), message: `is not an option. ${advice}` }
  }
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return { path: below(path, missing), message: 'is missing' }
  const values = new Map<string, unknown>(Object.entries(value))
  for (const [name, member] of Object.entries(properties)) {
    const problem = values.has(name) && schemaProblem(member, values.get(name), below(path, name))
    if (problem) return problem
  }
  return typeof additionalProperties === 'object' ? firstOf(others, additionalProperties, path) : undefined
}
