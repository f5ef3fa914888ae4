import { escapeHtml } from '../../runtime/escape-html.ts'
import { isPlainObject } from '../body/json.ts'

const mask = '[redacted]'

/** Shorter values are not masked, because they occur in many texts by chance. */
const shortestSecret = 4

/** Shorter values are masked only as whole words. */
export const shortestFragment = 8

/** Only the first part of a long value, such as an image, is masked. */
const longestSecret = 4096

/** How much of a response is processed. */
const longestText = 1 << 14

const longestMessage = 1000
const longestSnippet = 512

const readableText = /[\x20-\x7e]{8,}/g

/** Fields with few possible values, which identify no one and are often the subject of a message. */
const enumFields: ReadonlySet<string> = new Set(['grant_type', 'role', 'status', 'type'])

/**
 * Returns the strings that no error and no log record of a call may contain: its credentials and everything else that
 * it carries. Any field may be personal, except those with few possible values.
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
    // Readable text in an image, such as who took it and where. Its base64 is masked as a long string.
    for (const words of String.fromCharCode(...start).match(readableText) ?? []) found.push(words)
  } else if (depth > 0 && Array.isArray(value)) {
    for (const item of value) collect(item, found, depth - 1)
  } else if (depth > 0 && isPlainObject(value)) {
    for (const name of Object.keys(value)) {
      if (!enumFields.has(name)) collect(value[name], found, depth - 1)
    }
  }
}

/** Links, tokens, long opaque strings and email addresses, which no message needs in full. */
const alwaysMasked =
  /https?:\/\/[^\s"'<>]+|\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?|[\w+/-]{40,}={0,2}|[^\s"'<>@:;,]{1,64}@[^\s"'<>@:;,]{1,255}/g

function redact(text: string, secrets: readonly string[]): string {
  const longestFirst = [...new Set(secrets)].sort((a, b) => b.length - a.length)
  const pattern = longestFirst
    .flatMap((secret) => [...escapedForms(secret), ...encodedForms(secret)])
    .join('|')
  const start = text.slice(0, longestText)
  return (pattern === '' ? start : start.replace(new RegExp(pattern, 'gi'), mask)).replace(alwaysMasked, mask)
}

/** Masks what is secret or personal in a message that comes from outside. */
export const redactText = (text: string, secrets: readonly string[]): string =>
  redact(text, secrets).slice(0, longestMessage)

/** Returns patterns of a value as it is, and escaped for JSON, a URL or a page. */
function escapedForms(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1)
  const inUrl = secret.isWellFormed() ? encodeURIComponent(secret) : secret
  return [...new Set([secret, inJson, inUrl, escapeHtml(secret)])].map((form) => {
    const pattern = form.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    return form.length < shortestFragment ? `(?<!\\w)${pattern}(?!\\w)` : pattern
  })
}

/** The encodings of longer values are masked as long opaque strings. */
const longestEncoded = 40

/** Returns patterns of a value in hexadecimal, and in base64 at each of the three alignments. */
function encodedForms(secret: string): string[] {
  if (secret.length > longestEncoded) return []
  const bytes = new TextEncoder().encode(secret)
  const inHex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const inBase64 = [0, 1, 2].map((before) => {
    const digits = btoa(' '.repeat(before) + String.fromCharCode(...bytes))
    // Digits that also encode a neighboring byte are left out, because they vary.
    return digits.slice(before === 0 ? 0 : 4, Math.floor((before + bytes.byteLength) / 3) * 4)
  })
  // base64url has two other digits.
  return [inHex, ...inBase64]
    .filter((digits) => digits.length >= shortestFragment)
    .map((digits) => digits.replace(/[+/]/g, (sign) => (sign === '+' ? '[+-]' : '[/_]')))
}

/** Text in quotes. The last one may have been cut off. */
const quoted = /"(?:[^"\\]|\\.?)*(?:"|$)/gs

/** Numbers, dates and other words with digits: document numbers, dates of birth, scores. */
const numeric = /[\w.+/-]*\d[\w.+/-]*/g
const longestPlainNumber = 3

/**
 * Returns the first 512 characters of an unusable response, safe to log. Names of members and plain words are kept.
 * Text in quotes, words with digits and what looks secret are masked. In JSON every value is masked.
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

/** Returns an error code if it has the usual form, or `undefined` for a sentence or an echo of the request. */
export function plainCode(value: string, secrets: readonly string[]): string | undefined {
  if (!/^[\w.:-]{1,64}$/.test(value)) return undefined
  // A request may contain the same plain words as a code. Keys, tokens and numbers have digits.
  return /^[a-z_]+$/.test(value) || redact(value, secrets) === value ? value : undefined
}
