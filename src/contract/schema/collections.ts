import { acceptance } from './acceptance.ts'
import { judged, ruled } from './rules.ts'
import * as z from './zod-core.ts'

/** A list whose items are of one schema. Zod's own comes with bounds that are told before the items are looked at. */
export function listOf<S extends z.Type>(item: S): z.Type<z.output<S>[]> {
  const fits = acceptance(item)
  return judged(
    z.unknown() as unknown as z.Type<z.output<S>[]>,
    (value) => {
      if (!Array.isArray(value)) return false
      // `every` would pass over holes.
      for (const part of value) if (!fits(part)) return false
      return true
    },
    (value, issues) => {
      if (!Array.isArray(value)) issues.push({ expected: 'array', path: [] })
      else for (const [i, part] of value.entries()) passOn(item, part, [i], issues)
    },
  )
}

/** A list of so many items. */
export const sizedListOf = <S extends z.Type>(
  item: S,
  { min, max }: { readonly min: number; readonly max: number },
  message: string,
) => ruled(listOf(item), ({ length }) => length >= min && length <= max, message)

/** An object with members of any name, each of one schema. */
export function mapOf<S extends z.Type>(member: S): z.Type<Record<string, z.output<S>>> {
  const fits = acceptance(member)
  return judged(
    z.looseObject({}) as unknown as z.Type<Record<string, z.output<S>>>,
    (value) => Object.values(value).every(fits),
    (value, issues) => {
      for (const [name, part] of Object.entries(value)) passOn(member, part, [name], issues)
    },
  )
}

/** What a schema finds wrong with a part of a value. @param path of the part */
export function passOn(schema: z.Type, part: unknown, path: readonly PropertyKey[], issues: z.Issue[]): void {
  for (const issue of z.issuesOf(schema, part)) issues.push({ ...issue, path: [...path, ...issue.path] })
}
