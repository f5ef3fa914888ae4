import type * as z from './zod-core.ts'

type Test = (value: unknown) => boolean

/** The parts of a schema that are looked at. What else there may be is answered with "not sure". */
interface Definition {
  readonly type: string
  readonly checks?: readonly Check[]
  readonly innerType?: z.Type
  readonly shape?: Readonly<Record<string, z.Type>>
  readonly catchall?: z.Type
}

interface Check {
  readonly _zod: {
    readonly check: { readonly accepts?: Test }
  }
}

const unsure: Test = () => false

/**
 * Turns a schema into a test that copies and explains nothing, at a fraction of the cost of a parse. True:
 * the schema accepts the value as it is. False: it may not, ask the schema.
 */
export function acceptance(schema: z.Type): Test {
  // A format is its own check; none of those occurs where speed matters.
  if (schema._zod.traits.has('$ZodCheck')) return unsure
  const definition = definitionOf(schema)
  return (definition.checks ?? []).map(testOfCheck).reduce(both, testOfType(definition))
}

const definitionOf = (schema: z.Type) => schema._zod.def as unknown as Definition

const both =
  (first: Test, second: Test): Test =>
  (value) =>
    first(value) && second(value)

/** A rule says itself what it accepts. */
const testOfCheck = ({ _zod: { check } }: Check): Test => check.accepts ?? unsure

function testOfType({ type, innerType, shape, catchall }: Definition): Test {
  if (type === 'string') return (value) => typeof value === 'string'
  if (type === 'number') return (value) => Number.isFinite(value)
  if (type === 'boolean') return (value) => typeof value === 'boolean'
  if (type === 'unknown') return () => true
  if (type === 'optional' && innerType) {
    const inner = acceptance(innerType)
    return (value) => value === undefined || inner(value)
  }
  if (type === 'nullable' && innerType) {
    const inner = acceptance(innerType)
    return (value) => value === null || inner(value)
  }
  if (type === 'object' && shape && catchall && definitionOf(catchall).type === 'unknown')
    return testOfObject(shape)
  return unsure
}

function testOfObject(shape: Readonly<Record<string, z.Type>>): Test {
  const fields = Object.entries(shape).map(([name, schema]) => {
    const fits = acceptance(schema)
    const core = withoutLayers(schema)
    return {
      name,
      absent: fits(undefined),
      empty: fits(null),
      isText: isPlainText(core),
      fits: acceptance(core),
    }
  })
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    for (const { name, isText, absent, empty, fits } of fields) {
      const member = (value as Record<string, unknown>)[name]
      // Most fields are plain text: those are told without a call.
      if (isText && typeof member === 'string') continue
      if (!(member === undefined ? absent : member === null ? empty : fits(member))) return false
    }
    return true
  }
}

/** Whether any text fits. */
function isPlainText(schema: z.Type): boolean {
  const { type, checks } = definitionOf(schema)
  return type === 'string' && checks === undefined && !schema._zod.traits.has('$ZodCheck')
}

/** What is left of a schema when "may be absent" and "may be null" are taken off. */
function withoutLayers(schema: z.Type): z.Type {
  const { type, innerType, checks } = definitionOf(schema)
  const layer = (type === 'optional' || type === 'nullable') && innerType && !checks
  return layer ? withoutLayers(innerType) : schema
}
