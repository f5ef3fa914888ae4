import { acceptance } from './acceptance.ts'
import * as z from './zod-core.ts'

/*
 * Conditions on values of a known type. Zod has some of its own, which bring their machinery into every bundle that
 * reads a webhook; and what is looked at most is not parsed at all, but told by `acceptance`.
 */

/**
 * The same schema, for values that meet a condition.
 *
 * @param path of the member that is to blame @default the value itself
 */
export function ruled<S extends z.Type>(
  schema: S,
  accepts: (value: z.output<S>) => boolean,
  message: string,
  path: readonly PropertyKey[] = [],
): S {
  return judged(schema, accepts, (_value, issues) => {
    issues.push({ message, path: [...path] })
  })
}

/**
 * The same schema, for values that meet a condition which has more to say than one sentence.
 *
 * @param explain adds what is wrong with a value that was not accepted
 */
export function judged<S extends z.Type>(
  schema: S,
  accepts: (value: z.output<S>) => boolean,
  explain: (value: z.output<S>, issues: z.Issue[]) => void,
): S {
  const check = ({ value, issues }: z.Checked<z.output<S>>) => {
    if (!accepts(value)) explain(value, issues)
  }
  return z.checked(schema, Object.assign(check, { accepts }))
}

/** One of the listed texts. */
export const oneOf = <Text extends string>(texts: readonly Text[]) =>
  ruled(
    z.string(),
    (text) => texts.some((one) => one === text),
    `must be ${texts.map((text) => JSON.stringify(text)).join(' or ')}`,
  ) as unknown as z.Type<Text>

/** How many members a list has. */
export const listOf = <S extends z.Type>(
  item: S,
  { min, max }: { readonly min: number; readonly max: number },
  message: string,
) => ruled(z.array(item), ({ length }) => length >= min && length <= max, message)

export const wholeNumber = () => ruled(z.number(), Number.isSafeInteger, 'must be a whole number')

/** An object with members of any name, each of one schema. */
export function mapOf<Member>(schema: z.Type<Member>): z.Type<Record<string, Member>> {
  const fits = acceptance(schema)
  return judged(
    z.looseObject({}) as unknown as z.Type<Record<string, Member>>,
    (value) => Object.values(value).every(fits),
    (value, issues) => {
      for (const [name, member] of Object.entries(value)) passOn(schema, member, [name], issues)
    },
  )
}

/** What a schema finds wrong with a part of a value. @param path of the part */
export function passOn(schema: z.Type, part: unknown, path: readonly PropertyKey[], issues: z.Issue[]): void {
  for (const issue of z.issuesOf(schema, part)) issues.push({ ...issue, path: [...path, ...issue.path] })
}
