import * as z from 'zod/mini'
import { acceptance } from './acceptance.ts'

/** What zod hands to a check. */
interface Checked<T> {
  readonly value: T
  readonly issues: unknown[]
}

/*
 * Conditions on values of a known type. Zod has some of its own, which bring their machinery into every bundle that
 * reads a webhook; and what is looked at most is not parsed at all, but told by `acceptance`.
 */

/**
 * The same schema, for values that meet a condition.
 *
 * @param path of the member that is to blame @default the value itself
 */
export function ruled<S extends z.ZodMiniType>(
  schema: S,
  accepts: (value: z.output<S>) => boolean,
  message: string,
  path: readonly PropertyKey[] = [],
): S {
  return judged(schema, accepts, (value, issues) => {
    issues.push({ code: 'custom', message, path: [...path], input: value })
  })
}

/**
 * The same schema, for values that meet a condition which has more to say than one sentence.
 *
 * @param explain adds what is wrong with a value that was not accepted
 */
export function judged<S extends z.ZodMiniType>(
  schema: S,
  accepts: (value: z.output<S>) => boolean,
  explain: (value: z.output<S>, issues: unknown[]) => void,
): S {
  const check = ({ value, issues }: Checked<z.output<S>>) => {
    if (!accepts(value)) explain(value, issues)
  }
  return schema.check(Object.assign(check, { accepts })) as S
}

/** One of the listed texts. */
export const oneOf = <Text extends string>(texts: readonly Text[]) =>
  ruled(
    z.string(),
    (text) => texts.some((one) => one === text),
    `must be ${texts.map((text) => JSON.stringify(text)).join(' or ')}`,
  ) as unknown as z.ZodMiniType<Text>

/** How many members a list has. */
export const listOf = <S extends z.ZodMiniType>(
  item: S,
  { min, max }: { readonly min: number; readonly max: number },
  message: string,
) => ruled(z.array(item), ({ length }) => length >= min && length <= max, message)

export const wholeNumber = () => ruled(z.number(), Number.isSafeInteger, 'must be a whole number')

/** An object with members of any name, each of one schema. */
export function mapOf<Member>(schema: z.ZodMiniType<Member>): z.ZodMiniType<Record<string, Member>> {
  const fits = acceptance(schema)
  return judged(
    z.looseObject({}) as unknown as z.ZodMiniType<Record<string, Member>>,
    (value) => Object.values(value).every(fits),
    (value, issues) => {
      for (const [name, member] of Object.entries(value)) passOn(schema, member, [name], issues)
    },
  )
}

/** What a schema finds wrong with a part of a value. @param path of the part */
export function passOn(
  schema: z.ZodMiniType,
  part: unknown,
  path: readonly PropertyKey[],
  issues: unknown[],
): void {
  for (const issue of schema.safeParse(part).error?.issues ?? [])
    issues.push({ code: 'custom', message: issue.message, path: [...path, ...issue.path], input: part })
}
