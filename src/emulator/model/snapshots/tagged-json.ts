/** Reads what JSON lacks: an object with a tag as its only member. */
const tags: Readonly<Record<string, (content: never) => unknown>> = {
  $undefined: () => undefined,
  $number: (content: string) => Number(content),
  $date: (content: string) => new Date(content),
  $set: (content: readonly unknown[]) => new Set(content),
  $map: (content: readonly [string, unknown][]) => new Map(content),
  $object: (content: readonly [string, unknown][]) => Object.fromEntries(content),
}

/**
 * Returns a value as JSON. Dates, maps with texts as keys, sets, `undefined` and numbers that are not finite are
 * tagged. Other values that JSON lacks, such as functions, become `undefined`, because responses lack them too.
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

/** Returns the value that {@link writeTagged} has written. */
export function readTagged(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json
  if (Array.isArray(json)) return json.map(readTagged)
  const entries = Object.entries(json).map(([name, part]) => [name, readTagged(part)] as const)
  const [[tag = '', content] = []] = entries
  const read = Object.hasOwn(tags, tag) ? tags[tag] : undefined
  return read === undefined ? Object.fromEntries(entries) : read(content as never)
}
