import { isPlainObject } from '../body/json.ts'

const mask = '[redacted]'

/** Shorter values would mask half the text by chance. */
const shortestSecret = 4

/** Shorter values count where they stand as whole words only. */
export const shortestFragment = 8

/** Long values, such as images, are known by their beginning. */
const longestSecret = 4096

/** The longest piece of an answer that is looked at. */
const longestText = 1 << 14

const longestMessage = 1000
const longestSnippet = 512

const legible = /[\x20-\x7e]{8,}/g

/** Fields with a few possible values, which name nobody and often are what a message is about. */
const choices: ReadonlySet<string> = new Set(['grant_type', 'role', 'status', 'type'])

/**
 * The strings that must not come back out of one call: its credentials, and everything else that it carries.
 * Which of a caller's fields are personal is the caller's to know, so none is taken to be harmless.
 */
export function secretsOf(value: unknown, credentials: readonly string[] = []): string[] {
  const found = [...credentials]
  collect(value, found, 8)
  return found.filter((text) => text.length >= shortestSecret)
}

function collect(value: unknown, found: string[], depth: number): void {
  if (typeof value === 'string') found.push(value.slice(0, longestSecret))
  else if (typeof value === 'number') found.push(String(value))
  else if (value instanceof ArrayBuffer) collect(new Uint8Array(value), found, depth)
  else if (value instanceof Uint8Array) {
    const start = value.subarray(0, longestSecret)
    // What can be read in an image, such as who took it and where. In base64 it is masked as a long string.
    for (const words of String.fromCharCode(...start).match(legible) ?? []) found.push(words)
  } else if (depth > 0 && Array.isArray(value)) {
    for (const item of value) collect(item, found, depth - 1)
  } else if (depth > 0 && isPlainObject(value)) {
    for (const name of Object.keys(value)) {
      if (!choices.has(name)) collect(value[name], found, depth - 1)
    }
  }
}

/** Links, tokens, long opaque strings and e-mail addresses, which no message needs in full. */
const telling =
  /https?:\/\/[^\s"'<>]+|\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?|[\w+/-]{40,}={0,2}|[^\s"'<>@:;,]{1,64}@[^\s"'<>@:;,]{1,255}/g

function redact(text: string, secrets: readonly string[]): string {
  const longestFirst = [...new Set(secrets)].sort((a, b) => b.length - a.length)
  const known = longestFirst.flatMap((secret) => [...spellings(secret), ...encodings(secret)]).join('|')
  const shown = text.slice(0, longestText)
  return (known === '' ? shown : shown.replace(new RegExp(known, 'gi'), mask)).replace(telling, mask)
}

/** Takes what is secret or personal out of a sentence that comes from outside. */
export const redactText = (text: string, secrets: readonly string[]): string =>
  redact(text, secrets).slice(0, longestMessage)

/** Patterns of how a value may be echoed: as it is, in JSON, in a URL, in a page. */
function spellings(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1)
  const inUrl = secret.isWellFormed() ? encodeURIComponent(secret) : secret
  const inPage = secret.replace(/[&<>"']/g, (sign) => entities[sign] as string)
  return [...new Set([secret, inJson, inUrl, inPage])].map((spelling) => {
    const pattern = spelling.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    return spelling.length < shortestFragment ? `(?<!\\w)${pattern}(?!\\w)` : pattern
  })
}

/** Longer values are opaque by the length of their encoding. */
const longestEncoded = 40

/** Patterns of a value in hexadecimal, and in base64 wherever in the encoded bytes it begins. */
function encodings(secret: string): string[] {
  if (secret.length > longestEncoded) return []
  const bytes = new TextEncoder().encode(secret)
  const inHex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const inBase64 = [0, 1, 2].map((before) => {
    const digits = btoa(' '.repeat(before) + String.fromCharCode(...bytes))
    // Digits that stand for bytes around it as well differ from place to place.
    return digits.slice(before === 0 ? 0 : 4, Math.floor((before + bytes.byteLength) / 3) * 4)
  })
  // In base64url two of the digits are other ones.
  return [inHex, ...inBase64]
    .filter((digits) => digits.length >= shortestFragment)
    .map((digits) => digits.replace(/[+/]/g, (sign) => (sign === '+' ? '[+-]' : '[/_]')))
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** In quotes, up to the end where the text was cut within it. */
const quoted = /"(?:[^"\\]|\\.?)*(?:"|$)/gs

/** Numbers, dates and what else has digits in it: of documents, of birth, of a score. */
const numeric = /[\w.+/-]*\d[\w.+/-]*/g
const longestPlainNumber = 3

/**
 * The first 512 characters of an answer that could not be used, fit for a log. Names of members and plain words
 * stay; what is in quotes, has digits or looks secret is masked. In JSON every value is.
 */
export function snippetOf(body: string, secrets: readonly string[]): string {
  const text = redact(body, secrets)
  const isJson = /^\s*[[{"\d-]/.test(text)
  const withoutNumbers = (part: string) =>
    part.replace(numeric, (word) => (isJson || word.length > longestPlainNumber ? mask : word))
  let result = ''
  let end = 0
  for (const match of text.matchAll(quoted)) {
    result += withoutNumbers(text.slice(end, match.index))
    end = match.index + match[0].length
    const isName = /^\s*:/.test(text.slice(end, end + 16))
    result += isName ? match[0] : `"${mask}"`
    if (result.length > longestSnippet) break
  }
  return (result + withoutNumbers(text.slice(end))).slice(0, longestSnippet)
}

/** An error code as a service gives them; `undefined` for a sentence, or an echo. */
export function plainCode(value: string, secrets: readonly string[]): string | undefined {
  if (!/^[\w.:-]{1,64}$/.test(value)) return undefined
  // A request may well hold the words that codes are made of; keys, tokens and numbers have digits.
  return /^[a-z_]+$/.test(value) || redact(value, secrets) === value ? value : undefined
}
