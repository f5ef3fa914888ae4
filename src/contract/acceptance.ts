import type { z } from 'zod/mini'

type Test = (value: unknown) => boolean

/** The parts of a schema that are looked at. What else there may be is answered with "not sure". */
interface Definition {
  readonly type: string
  readonly checks?: readonly { readonly _zod: { readonly check: (payload: Payload) => unknown } }[]
  readonly innerType?: z.ZodMiniType
  readonly element?: z.ZodMiniType
  readonly shape?: Readonly<Record<string, z.ZodMiniType>>
  readonly catchall?: z.ZodMiniType
  readonly options?: readonly z.ZodMiniType[]
  readonly entries?: Readonly<Record<string, unknown>>
}

interface Payload {
  value: unknown
  issues: unknown[]
}

/**
 * Turns a schema into a test that copies and explains nothing, at a tenth of the cost of a parse. True: the
 * schema accepts the value. False: it may not, ask the schema.
 */
export function acceptance(schema: z.ZodMiniType): Test {
  const definition = schema._zod.def as unknown as Definition
  // A format is its own check; none of those occurs where speed matters.
  if (schema._zod.traits.has('$ZodCheck')) return unsure
  const shapeFits = testOf(definition)
  const checks = definition.checks ?? []
  if (checks.length === 0) return shapeFits
  return (value) => {
    if (!shapeFits(value)) return false
    const payload: Payload = { value, issues: [] }
    for (const { _zod } of checks) if (_zod.check(payload) !== undefined) return false
    return payload.issues.length === 0 && payload.value === value
  }
}

const unsure: Test = () => false

function testOf(definition: Definition): Test {
  const { innerType, element, shape, catchall, options, entries } = definition
  const inner = innerType === undefined ? unsure : acceptance(innerType)
  switch (definition.type) {
    case 'string':
      return (value) => typeof value === 'string'
    case 'number':
      return (value) => Number.isFinite(value)
    case 'boolean':
      return (value) => typeof value === 'boolean'
    case 'unknown':
      return () => true
    case 'optional':
      return (value) => value === undefined || inner(value)
    case 'nullable':
      return (value) => value === null || inner(value)
    case 'enum': {
      const values = new Set(Object.values(entries ?? {}))
      return (value) => values.has(value)
    }
    case 'union': {
      const tests = (options ?? []).map(acceptance)
      return (value) => tests.some((test) => test(value))
    }
    case 'array': {
      const fits = element === undefined ? unsure : acceptance(element)
      return (value) => {
        if (!Array.isArray(value)) return false
        for (const item of value) if (!fits(item)) return false
        return true
      }
    }
    case 'object':
      return catchall?._zod.def.type === 'unknown' ? objectTest(shape ?? {}) : unsure
    default:
      return unsure
  }
}

function objectTest(shape: Readonly<Record<string, z.ZodMiniType>>): Test {
  const fields = Object.entries(shape).map(([name, schema]) => ({ name, ...withoutLayers(schema) }))
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    for (const { name, absent, empty, text, fits } of fields) {
      const member = (value as Record<string, unknown>)[name]
      if (
        member === undefined
          ? absent
          : member === null
            ? empty
            : text
              ? typeof member === 'string'
              : fits(member)
      )
        continue
      return false
    }
    return true
  }
}

/** Most fields are text that may be absent or null: those are told without a call. */
function withoutLayers(schema: z.ZodMiniType) {
  const fits = acceptance(schema)
  return {
    absent: fits(undefined),
    empty: fits(null),
    text: isText(schema),
    fits,
  }
}

function isText(schema: z.ZodMiniType): boolean {
  const { type, innerType, checks } = schema._zod.def as unknown as Definition
  if (innerType !== undefined) return isText(innerType)
  return type === 'string' && checks === undefined && !schema._zod.traits.has('$ZodCheck')
}
