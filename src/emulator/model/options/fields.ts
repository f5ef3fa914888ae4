import * as z from 'zod/mini'
import { $ZodObject } from 'zod/v4/core'
import { isJsonObject } from '../../../contract/schema/schema.ts'
import { type CheckDataByType, type CheckType, checkStatuses } from '../../../contract/verification/check-data.ts'
import { nearestName } from '../../../options/nearest-name.ts'

const keywords = new WeakMap<z.core.$ZodType, object>()

/** Adds keywords of JSON Schema to a schema. The registry of zod would be loaded with the clients. */
export function described<Type extends z.ZodMiniType>(type: Type, facts: string | object): Type {
  const copy = type.check()
  keywords.set(copy, typeof facts === 'string' ? { description: facts } : facts)
  return copy
}

/** Describes a field that may be missing. */
export function optional<S extends z.ZodMiniType>(type: S, description: string) {
  return z.optional(described(type, description))
}

/** Returns the keywords that were added to a schema. */
export const keywordsOf = (type: z.core.$ZodType): object => keywords.get(type) ?? {}

/** A list. Neither the emulator nor its caller can change it afterwards. */
export const listOf = <Item extends z.core.SomeType>(item: Item) => z.readonly(z.array(item))

export const text = z.string().check(z.refine((value: string) => value.trim() !== '', { error: 'must not be blank' }))

/** A credential. Neither a header nor an environment variable can have a control character. */
export const credential = text.check(
  z.refine((value: string) => !/\p{Cc}/u.test(value), { error: 'must not contain control characters' }),
)

export const zeroOrMore = z.number().check(z.gte(0, { error: 'must be a number, 0 or more' }))

/** Rejects a list in which two items have the same id. Items without an id are accepted. */
export const unique = <Item>(idOf: (item: Item) => unknown, error: string) =>
  z.refine<readonly Item[]>(
    (items) => {
      const ids = items.map(idOf).filter((id) => id !== undefined && id !== null)
      return new Set(ids).size === ids.length
    },
    { error },
  )

/** A function of the caller. */
export const callback = <Form extends (...args: never[]) => unknown>() =>
  z.custom<Form>((value) => typeof value === 'function', { error: 'must be a function' })

/** A JSON object of any form. */
export const anyObject = <Form extends object = object>() =>
  described(z.custom<Form>(isJsonObject, { error: 'must be an object' }), { type: 'object' })

/** Headers that HTTP can send. */
export const headers = z
  .record(z.string(), z.string())
  .check(z.refine(areHeaders, { error: 'must be an object of valid names and values' }))

function areHeaders(fields: Record<string, string>): boolean {
  try {
    return Boolean(new Headers(fields))
  } catch {
    return false
  }
}

/** JSON has no `Infinity`, so a text stands for it there. */
const positiveOrInfinite = z.pipe(
  described(
    z.custom<number | 'Infinity'>(
      (value) =>
        value === 'Infinity' || value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && Number(value) > 0),
      { error: 'must be a positive whole number, or Infinity' },
    ),
    {
      anyOf: [{ type: 'integer', minimum: 1 }, { const: 'Infinity' }],
    },
  ),
  z.transform(Number),
)

/** How often something applies. */
export const times = (otherwise: 1 | 'Infinity') =>
  optional(positiveOrInfinite, `How often: a positive whole number, or Infinity. ${otherwise} if missing.`)

/** The outcome of a check of one type, or only its status. */
export const outcomeOf = <Type extends CheckType = CheckType>() =>
  z.union([
    z.enum(checkStatuses),
    z.strictObject({
      status: z.optional(z.enum(checkStatuses)),
      score: z.optional(z.number()),
      error: z.optional(z.string()),
      data: z.optional(anyObject<Partial<CheckDataByType[Type]>>()),
    }),
  ])

/** Outcomes by type of check. */
export const checkOutcomes = z.strictObject({
  id_verification: z.optional(outcomeOf<'id_verification'>()),
  liveness: z.optional(outcomeOf<'liveness'>()),
  face_match: z.optional(outcomeOf<'face_match'>()),
  age: z.optional(outcomeOf<'age'>()),
  credential: z.optional(outcomeOf<'credential'>()),
  location: z.optional(outcomeOf<'location'>()),
} satisfies Record<CheckType, unknown>)

/**
 * Reads a value by a schema.
 *
 * @param name names the whole value, such as `the options`
 * @param fail returns the error for the first thing that is wrong, such as `times must be a number`
 */
export function readFields<S extends z.core.$ZodType>(
  schema: S,
  value: unknown,
  { name, fail }: { readonly name: string; readonly fail: (problem: string) => Error },
): z.output<S> {
  const { error, data } = z.safeParse(schema, value, { error: messageOf })
  if (error === undefined) return data
  const { path, message } = problemOf(error.issues)
  throw fail(`${path.map(printable).join('.') || name} ${message}`)
}

const printable = (name: PropertyKey) => (/^[\w$.-]{1,64}$/.test(String(name)) ? String(name) : '?')

interface Problem {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** A wrong name comes first, because what is missing may be what it stands for. */
function problemOf(issues: readonly z.core.$ZodIssue[]): Problem {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  if (issue?.code === 'unrecognized_keys')
    return { path: [...issue.path, ...issue.keys.slice(0, 1)], message: issue.message }
  if (issue?.code !== 'invalid_union') return { path: issue?.path ?? [], message: issue?.message ?? '' }
  const problems = issue.errors.map(problemOf)
  // What is wrong inside of an object says more than that the value is none of the others.
  const inside = problems.find(({ path }) => path.length > 0)
  const forms = problems.map(({ message }) => message.replace(/\. Did you mean.*/, ''))
  return {
    path: [...issue.path, ...(inside?.path ?? [])],
    message: inside?.message ?? [...new Set(forms)].join(', or ').replaceAll(', or must be', ', or'),
  }
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a finite number',
  object: 'an object',
  record: 'an object',
  date: 'a time',
  map: 'a map',
  set: 'a set',
  string: 'a string',
  null: 'null',
}

const adviceOn = (name: unknown, names: readonly string[], others: string) => {
  const nearest = nearestName(String(name), names)
  return nearest === undefined ? others : ` Did you mean ${nearest}?`
}

/** Says what a value must be, to be read after its name. */
function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'unrecognized_keys': {
      const names = issue.inst instanceof $ZodObject ? Object.keys(issue.inst._zod.def.shape) : []
      const all = names.length === 0 ? ' There are none.' : ` The options are ${names.join(', ')}.`
      return `is not an option.${adviceOn(issue.keys[0], names, all)}`
    }
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${typeNames[issue.expected] ?? issue.expected}`
    case 'invalid_value': {
      const values = issue.values.map(String)
      const advice = adviceOn(issue.input, values, '').replace(/^(?=.)/, '.')
      return issue.input === undefined ? 'is missing' : `must be one of ${values.join(', ')}${advice}`
    }
    default:
      return undefined
  }
}
