import { listedTexts } from '../../contract/schema/fields.ts'
import { fromBase64 } from '../../runtime/bytes.ts'
import { isAsyncIterable } from '../body/image.ts'
import { textOf } from './decodings.ts'

/** Shorter values are not masked, because they occur in many texts by chance. */
const shortestSecret = 4

/** Parts of a credential that are shorter are common words, such as `Bearer`. */
const shortestPart = 8

/** How much of the bytes of an image is searched for text. */
const searchedBytes = 4096

const readableText = /[\x20-\x7e]{8,}/g

/** The names of documented fields have this form. */
const fieldName = /^[a-z][a-z0-9_]*$/

/** The member whose content the caller names. */
const freeMember = 'metadata'

/**
 * Returns the texts that no error and no log record of a call may contain: its credentials and everything else that it
 * carries, at any depth. Any value may be personal, except those that the contract lists. So may any name of a member
 * that is not the name of a field.
 */
export function secretsOf(values: unknown, credentials: readonly Credentials[] = []): string[] {
  const found = new Set<string>()
  for (const list of credentials) for (const part of partsOfAll(list)) found.add(part)
  collect(values, found)
  return [...found].filter((text) => text.length >= shortestSecret && !listedTexts.has(text))
}

/** A list of credentials that does not change. The calls of a client share the same lists. */
export type Credentials = readonly string[]

/** Kept for each list: without it, `secretsOf` takes three times as long for a small call. */
const knownParts = new WeakMap<Credentials, readonly string[]>()

function partsOfAll(credentials: Credentials): readonly string[] {
  const parts = knownParts.get(credentials) ?? credentials.flatMap(partsOf)
  knownParts.set(credentials, parts)
  return parts
}

/** What looks like the name of a person: two to five words in capitals. */
const fullName = /^\p{Lu}[\p{L}'’.-]*(?:\s+\p{Lu}[\p{L}'’.-]*){1,4}$/u

/** Returns the words of values that look like the name of a person, because a message may contain them in any order. */
export const nameWordsOf = (values: readonly string[]): string[] =>
  values
    .filter((value) => fullName.test(value))
    .flatMap((name) => name.split(/\s+/))
    .filter(({ length }) => length >= shortestSecret)

/** A header may contain several credentials: a scheme and a token, a user and a password, cookies. */
function partsOf(credential: string): string[] {
  const [, scheme, token = ''] = /^(\w+) +(.+)$/s.exec(credential) ?? []
  const pair = scheme?.toLowerCase() === 'basic' ? decodedPair(token) : []
  const parts = credential.split(/[\s,;=]+/).filter(({ length }) => length >= shortestPart)
  return [credential, token, ...pair, ...parts]
}

function decodedPair(token: string): string[] {
  try {
    const pair = textOf(fromBase64(token))
    return [pair, ...pair.split(':')]
  } catch {
    // It is not base64.
    return []
  }
}

/** A getter may return another object each time, forever. */
const maxObjects = 1_000_000

/** Not recursive, because a value may be nested deeper than the call stack, or contain itself. */
function collect(values: unknown, found: Set<string>): void {
  const seen = new Set<unknown>()
  const rest: { readonly value: unknown; readonly isFree: boolean }[] = [{ value: values, isFree: false }]
  for (let next = rest.pop(); next !== undefined && seen.size < maxObjects; next = rest.pop()) {
    const { value, isFree } = next
    if (typeof value === 'string') found.add(value)
    else if (typeof value === 'number' || typeof value === 'bigint') found.add(String(value))
    else if (typeof value === 'object' && value !== null && !seen.has(value)) {
      seen.add(value)
      for (const [name, member] of membersOf(value, found)) {
        if (isFree || !fieldName.test(name)) found.add(name)
        rest.push({ value: member, isFree: isFree || name === freeMember })
      }
    }
  }
}

/** Returns the members that the JSON of an object would have. */
function membersOf(value: object, found: Set<string>): [name: string, value: unknown][] {
  try {
    if (value instanceof ArrayBuffer) return membersOf(new Uint8Array(value), found)
    if (value instanceof Uint8Array) {
      // Readable text in an image, such as who took it and where. Its base64 is masked as a long string.
      const start = String.fromCharCode(...value.subarray(0, searchedBytes))
      for (const words of start.match(readableText) ?? []) found.add(words)
      return []
    }
    if (isAsyncIterable(value)) return []
    const { toJSON } = value as { toJSON?: unknown }
    const plain: unknown = typeof toJSON === 'function' ? toJSON.call(value) : unboxed(value)
    if (typeof plain !== 'object' || plain === null) return [['', plain]]
    return Array.isArray(plain) ? plain.map((item) => ['', item]) : Object.entries(plain)
  } catch {
    // A getter threw, so what it would have returned was not sent either.
    return []
  }
}

/** JSON writes an object of these classes as its value. */
const unboxed = (value: object): unknown =>
  value instanceof String || value instanceof Number ? value.valueOf() : value
