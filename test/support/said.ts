import { inspect } from 'node:util'

/** Everything that is read of things when they are printed, logged or sent on, their causes included. */
export function said(...things: unknown[]): string {
  const texts = things.flatMap((thing) => [
    String(thing),
    JSON.stringify(thing),
    inspect(thing, { depth: Number.POSITIVE_INFINITY, maxStringLength: null, maxArrayLength: null }),
    inspect(thing, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxStringLength: null }),
    ...(thing instanceof Error ? [thing.message, thing.stack, said(thing.cause ?? '')] : []),
  ])
  return texts.join('\n')
}

/** Options of a client, and all that its hooks were told. */
export function recorder() {
  const heard: unknown[] = []
  const hear = (...things: unknown[]) => void heard.push(...things)
  return { heard, options: { logger: { debug: hear, info: hear, warn: hear, error: hear }, onEvent: hear } }
}
