import { acceptance } from './acceptance.ts'
import { judged, ruled } from './rules.ts'
import * as z from './zod-core.ts'

/** A list whose items are of one schema. Zod's own comes with bounds that are told before the items are looked at. */
export const listOf = <S extends z.Type>(item: S): z.Type<z.output<S>[]> =>
  allOf(
    judged(z.unknown(), Array.isArray, (_value, issues) => {
      issues.push({ expected: 'array', path: [] })
    }) as unknown as z.Type<z.output<S>[]>,
    item,
  )

/** A list of so many items. */
export const sizedListOf = <S extends z.Type>(
  item: S,
  { min, max }: { readonly min: number; readonly max: number },
  message: string,
) => ruled(listOf(item), ({ length }) => length >= min && length <= max, message)

/** An object with members of any name, each of one schema. */
export const mapOf = <S extends z.Type>(member: S): z.Type<Record<string, z.output<S>>> =>
  allOf(z.looseObject({}) as unknown as z.Type<Record<string, z.output<S>>>, member)

/** The same schema, where all that a value holds is of another one. */
function allOf<S extends z.Type<object>>(collection: S, member: z.Type): S {
  const fits = acceptance(member)
  return judged(
    collection,
    (value) => (Array.isArray(value) ? value : Object.values(value)).every(fits),
    (value, issues) => {
      for (const [name, part] of Object.entries(value)) passOn(member, part, [name], issues)
    },
  )
}

/** What a schema finds wrong with a part of a value. @param path of the part */
export function passOn(schema: z.Type, part: unknown, path: readonly PropertyKey[], issues: z.Issue[]): void {
  for (const issue of z.issuesOf(schema, part)) issues.push({ ...issue, path: [...path, ...issue.path] })
}
