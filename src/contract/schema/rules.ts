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

export const wholeNumber = () => ruled(z.number(), Number.isSafeInteger, 'must be a whole number')
