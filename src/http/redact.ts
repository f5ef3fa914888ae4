import { sensitiveFields } from '../contract/fields.ts'

const mask = '[redacted]'

/** Shorter values would mask half the text by chance. */
const shortestSecret = 4

/** The longest piece of an answer that is looked at. */
const longestText = 1 << 16

/**
 * The strings that must not come back out of one call: its credentials, and what its sensitive fields hold.
 * Long ones, such as images, are known by their beginning.
 */
export function secretsOf(value: unknown, credentials: readonly string[]): string[] {
  const found = new Set(credentials)
  collect(value, false, found)
  return [...found].filter((text) => text.length >= shortestSecret).sort((a, b) => b.length - a.length)
}

function collect(value: unknown, sensitive: boolean, found: Set<string>): void {
  if (typeof value === 'string') {
    if (sensitive) found.add(value.slice(0, 4096))
  } else if (typeof value === 'number') {
    if (sensitive) found.add(String(value))
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, sensitive, found)
  } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    for (const [name, member] of Object.entries(value)) {
      collect(member, sensitive || sensitiveFields.has(name), found)
    }
  }
}

/** Tokens, long opaque strings and e-mail addresses, which no message needs in full. */
const telling =
  /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?|[\w-]{40,}|[A-Za-z0-9+/]{80,}={0,2}|[^\s"'<>@:;,]{1,64}@[^\s"'<>@:;,]{1,255}/g

/** Takes what is secret or personal out of a sentence that comes from outside. */
export function redactText(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) {
    for (const spelling of spellings(secret)) clean = clean.replaceAll(spelling, mask)
  }
  return clean.replace(telling, mask)
}

/** How a secret may be echoed: as it is, in JSON, in a URL. */
function spellings(secret: string): Set<string> {
  const encoded = secret.isWellFormed() ? encodeURIComponent(secret) : secret
  return new Set([secret, JSON.stringify(secret).slice(1, -1), encoded])
}

const wholeString = /"(?:[^"\\]|\\.)*(?:"|$)/gs
const number = /-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/g

/** Members whose values say what happened and not to whom. */
const telltale = /"(?:success|code)"\s*:\s*$/

/**
 * The first 512 characters of an answer that could not be used, fit for a log: in anything like JSON every
 * value is masked and the names stay, elsewhere whatever looks secret.
 */
export function snippetOf(body: string, secrets: readonly string[]): string {
  const text = redactText(body.slice(0, longestText), secrets)
  return (/^\s*[[{"]/.test(text) ? maskValues(text) : text).slice(0, 512)
}

function maskValues(text: string): string {
  let result = ''
  let end = 0
  for (const match of text.matchAll(wholeString)) {
    result += text.slice(end, match.index).replace(number, mask)
    end = match.index + match[0].length
    const isName = /^\s*:/.test(text.slice(end, end + 16))
    const keeps = isName || (telltale.test(result) && /^"[a-z0-9_]{1,64}"$/.test(match[0]))
    result += keeps ? match[0] : `"${mask}"`
    if (result.length > 2048) return result
  }
  return result + text.slice(end).replace(number, mask)
}

/**
 * An error of the platform or of undici without what it carries: the originals hold bodies, headers and
 * addresses. Name, code and the redacted message stay.
 */
export function plainCause(thrown: unknown, secrets: readonly string[], depth = 2): unknown {
  if (!(thrown instanceof Error)) return typeof thrown === 'string' ? redactText(thrown, secrets) : undefined
  const plain = new Error(redactText(thrown.message, secrets))
  Object.defineProperty(plain, 'name', { value: thrown.name, configurable: true })
  const { code } = thrown as { code?: unknown }
  if (typeof code === 'string') Object.assign(plain, { code })
  if (depth > 0 && thrown.cause !== undefined) plain.cause = plainCause(thrown.cause, secrets, depth - 1)
  plain.stack = `${plain.name}: ${plain.message}`
  return plain
}
