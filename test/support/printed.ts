import { inspect } from 'node:util'

/** Everything that appears if values and their causes are printed, logged or serialized, in one text. */
export function printed(...values: unknown[]): string {
  const texts = values.flatMap((value) => [
    String(value),
    JSON.stringify(value),
    inspect(value, { depth: Number.POSITIVE_INFINITY, maxStringLength: null, maxArrayLength: null }),
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null }),
    ...(value instanceof Error ? [value.message, value.stack, printed(value.cause ?? '')] : []),
  ])
  return texts.join('\n')
}
