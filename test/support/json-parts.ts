/** Every place in a value, as the names that lead to it. The value itself is the first. */
export const placesIn = (value: unknown): string[][] => [
  [],
  ...Object.entries(typeof value === 'object' && value !== null ? value : {}).flatMap(([name, part]) =>
    placesIn(part).map((place) => [name, ...place]),
  ),
]

/** A copy of a value with another part at a place. */
export function withPart(value: unknown, [name, ...rest]: readonly string[], part: unknown): unknown {
  if (name === undefined) return part
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) }
  return Object.assign(copy, { [name]: withPart((value as Record<string, unknown>)[name], rest, part) })
}
