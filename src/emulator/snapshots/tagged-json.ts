import { rejectPart } from './shapes.ts'

/** Far deeper than what an app sends, and less than what would overflow the stack. */
const maxDepth = 1000

/** Writes and reads what JSON lacks: an object with a tag as its only member. */
const tags: Readonly<Record<string, (content: unknown) => unknown>> = {
  $undefined: () => undefined,
  $number: (content) => Number(content),
  $date: (content) => new Date(String(content)),
  $set: (content) => Array.isArray(content) && new Set(content),
  $map: (content) => isEntries(content) && new Map(content),
  $object: (content) => isEntries(content) && Object.fromEntries(content),
}

const isEntries = (content: unknown): content is [string, unknown][] =>
  Array.isArray(content) && content.every((entry) => Array.isArray(entry) && typeof entry[0] === 'string')

/**
 * Returns a value as JSON. Dates, maps with texts as keys, sets, `undefined` and numbers that are not finite are tagged.
 * Other values that JSON lacks, such as functions, become `undefined`, because responses lack them too.
 */
export function writeTagged(value: object): object
export function writeTagged(value: unknown): unknown
export function writeTagged(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : { $number: String(value) }
  if (typeof value !== 'object') return { $undefined: true }
  if (Array.isArray(value)) return value.map(writeTagged)
  if (value instanceof Date) return { $date: value.toJSON() }
  if (value instanceof Set) return { $set: [...value].map(writeTagged) }
  if (value instanceof Map) return { $map: [...value].map(writeTagged) }
  const entries = Object.entries(value).map(([name, member]) => [name, writeTagged(member)] as const)
  // A member of a request could otherwise be read as a tag.
  return entries.some(([name]) => name.startsWith('$')) ? { $object: entries } : Object.fromEntries(entries)
}

/**
 * Returns the value that {@link writeTagged} has written.
 *
 * @param path of the value, for error messages
 * @throws {EmulatorError} a tag is unknown, its content is malformed, or the value is nested too deeply
 */
export function readTagged(json: unknown, path: string, depth = 0): unknown {
  if (typeof json !== 'object' || json === null) return json
  if (depth > maxDepth) rejectPart('the snapshot', 'nested less deeply')
  const read = (part: unknown, name: string | number) => readTagged(part, `${path}.${name}`, depth + 1)
  if (Array.isArray(json)) return json.map(read)
  const entries = Object.entries(json).map(([name, part]) => [name, read(part, name)] as const)
  const [tag, content] = entries.find(([name]) => name.startsWith('$')) ?? []
  if (tag === undefined) return Object.fromEntries(entries)
  const value = entries.length === 1 && Object.hasOwn(tags, tag) && tags[tag]?.(content)
  if (value === false || (value instanceof Date && Number.isNaN(value.getTime())))
    rejectPart(`${path}.${tag}`, 'a value that a snapshot contains')
  return value
}
