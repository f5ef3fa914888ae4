import type { ClientOptions } from './options.ts'

type GivenHeaders = NonNullable<ClientOptions['headers']>

/** True for `Headers`, of this realm or of another copy of undici. A `Headers` object has no properties of its own. */
export const isHeaders = (value: unknown): value is Headers =>
  typeof value === 'object' && value !== null && Symbol.iterator in value && 'getSetCookie' in value

/** Returns the names and values of headers that a caller passed. What is `undefined` is omitted. */
export const headerEntries = (headers: GivenHeaders): [name: string, value: string][] =>
  (isHeaders(headers) ? [...headers] : Object.entries(headers)).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )

/** Copies headers that a caller passed. */
export const readHeaders = (headers: GivenHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(headerEntries(headers))
