import { errorCatalog } from '../../contract/errors/catalog.ts'
import { lettersOf, type View, viewsOf } from './views.ts'

export const mask = '[redacted]'

/** Shorter values are masked only as whole words. */
export const shortestFragment = 8

/** Parts of a longer value are masked too if they have at least this length, because an echo may be cut off. */
const partLength = 16

/** How much of a text is processed. */
const longestText = 4096

/** A value may have been cut off at the end of what is processed. In its longest form, this is a part of a value. */
const uncertainEnd = 6 * partLength

/** A text is withheld if the call carried more than this. */
const most = { values: 200_000, characters: 1024 * 1024 }

const longestMessage = 1000

/** Links, tokens, long opaque strings, email addresses, and numbers such as those of documents, dates and phones. */
const alwaysMasked =
  /https?:\/\/[^\s"'<>]+|\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?|[\w+/-]{40,}={0,2}|[^\s"'<>@:;,]{1,64}@[^\s"'<>@:;,]{1,255}|[A-Za-z]{0,3}(?:\d[ ()./-]{0,2}){5,}\d\w*/g

/** A long string that `alwaysMasked` finds in any text, such as the base64 of an image. */
const isOpaque = (secret: string) =>
  secret.length > longestText && /^(?:data:[\w/.+-]{1,99};base64,)?[\w+/-]+={0,2}$/.test(secret)

/** Replaces letters and spaces by those that they are compared as. Keeps the length. */
const folded = (text: string) => text.replaceAll('İ', 'I').toLowerCase().replace(/\s/g, ' ')

const isAscii = (text: string) => !/[^\0-\x7f]/.test(text)

/** Returns a value as it is compared, also composed, decomposed and in capitals, which may change its length. */
const cases = (secret: string): readonly string[] =>
  isAscii(secret)
    ? [folded(secret)]
    : [secret, secret.normalize('NFC'), secret.normalize('NFD'), secret.toUpperCase()].map(folded)

const spellings = (secret: string): readonly string[] => {
  const letters = lettersOf(secret)
  return letters.length < shortestFragment ? cases(secret) : [...cases(secret), ...cases(letters)]
}

/** Which characters of a text are masked. */
class Hidden {
  readonly #text: string
  readonly #flags: Uint8Array

  constructor(text: string) {
    this.#text = text
    this.#flags = new Uint8Array(text.length)
  }

  /** Masks what a part of a view stands for. */
  add({ starts, ends }: View, from: number, length: number): void {
    this.#flags.fill(1, starts[from], ends[from + length - 1])
  }

  addEnd(length: number): void {
    this.#flags.fill(1, -length)
  }

  render(): string {
    let shown = ''
    for (let i = 0; i < this.#text.length; i++) {
      if (!this.#flags[i]) shown += this.#text[i]
      else if (!this.#flags[i - 1]) shown += mask
    }
    return shown
  }
}

/**
 * Masks values in a text, in every form that {@link viewsOf} reads. Takes linear time in the text and the values.
 *
 * @param pattern what else is masked
 */
function redact(text: string, secrets: readonly string[], pattern?: RegExp): string {
  const given = secrets.filter((secret) => !isOpaque(secret))
  const characters = given.reduce((sum, { length }) => sum + length, 0)
  if (given.length > most.values || characters > most.characters) return mask
  const spelled = [...new Set(given.flatMap(spellings))]
  const start = text.slice(0, longestText)
  const hidden = new Hidden(start)
  const views = viewsOf(start)
  const isLong = (secret: string) => secret.length >= partLength
  hideShort(
    views,
    spelled.filter((secret) => !isLong(secret)),
    hidden,
  )
  hideLong(views, spelled.filter(isLong), hidden)
  if (pattern) hidePattern(views, pattern, hidden)
  if (start.length < text.length) hidden.addEnd(uncertainEnd)
  return hidden.render()
}

function hideShort(views: readonly View[], secrets: readonly string[], hidden: Hidden): void {
  const byLength = new Map<number, Set<string>>()
  for (const secret of secrets) {
    const known = byLength.get(secret.length)
    if (known) known.add(secret)
    else byLength.set(secret.length, new Set([secret]))
  }
  for (const view of views) {
    const text = folded(view.text)
    for (const [length, known] of byLength) {
      const isShort = length < shortestFragment
      if (isShort && view.kind === 'letters') continue
      const mustBeWord = isShort && view.kind === 'text'
      for (let from = 0; from + length <= text.length; from++) {
        if (known.has(text.slice(from, from + length)) && !(mustBeWord && !isWord(text, from, length)))
          hidden.add(view, from, length)
      }
    }
  }
}

const letterOrDigit = /\w/

const isWord = (text: string, from: number, length: number) =>
  !letterOrDigit.test(text[from - 1] ?? '') && !letterOrDigit.test(text[from + length] ?? '')

/** The hashes of parts, modulo the size of a table. `power` removes the character before a part. */
const factor = 0x01000193
const power = Array.from({ length: partLength }).reduce((product: number) => Math.imul(product, factor), 1)
const slots = 1 << 16

/** Calls back with each part of a text, and the slot of its hash. Each takes the same time, whatever `partLength` is. */
function eachPart(text: string, visit: (from: number, slot: number) => void): void {
  let hash = 0
  for (let end = 1; end <= text.length; end++) {
    const from = end - partLength
    const before = from > 0 ? text.charCodeAt(from - 1) : 0
    hash = (Math.imul(hash, factor) + text.charCodeAt(end - 1) - Math.imul(before, power)) | 0
    if (from >= 0) visit(from, hash & (slots - 1))
  }
}

function hideLong(views: readonly View[], secrets: readonly string[], hidden: Hidden): void {
  const places = new Map<string, [view: View, from: number][]>()
  /** How many parts have a hash. Few parts of a value have one of these, and only those are looked up. */
  const counts = new Uint16Array(slots)
  for (const view of secrets.length === 0 ? [] : views) {
    const text = folded(view.text)
    eachPart(text, (from, slot) => {
      const part = text.slice(from, from + partLength)
      const known = places.get(part)
      if (known) known.push([view, from])
      else {
        places.set(part, [[view, from]])
        counts[slot] = (counts[slot] as number) + 1
      }
    })
  }
  for (const secret of secrets) {
    eachPart(secret, (from, slot) => {
      const left = counts[slot]
      if (!left) return
      const part = secret.slice(from, from + partLength)
      const found = places.get(part)
      if (!found) return
      for (const [view, at] of found) hidden.add(view, at, partLength)
      // Each place is masked once, however often it contains a value.
      places.delete(part)
      counts[slot] = left - 1
    })
  }
}

function hidePattern(views: readonly View[], pattern: RegExp, hidden: Hidden): void {
  for (const view of views.filter(({ kind }) => kind === 'text')) {
    for (const { 0: match, index } of view.text.matchAll(pattern)) hidden.add(view, index, match.length)
  }
}

/** Masks the values in a text, and nothing else. */
export const redactValues = (text: string, secrets: readonly string[]): string => redact(text, secrets)

/** Masks what is secret or personal in a message that comes from outside. */
export const redactText = (text: string, secrets: readonly string[]): string =>
  redact(text, secrets, alwaysMasked).slice(0, longestMessage)

/** Returns an error code if it has the usual form, or `undefined` for a sentence or an echo of the request. */
export function plainCode(value: string, secrets: readonly string[]): string | undefined {
  // What follows from an error depends on its code, so the codes of the contract are never masked.
  if (Object.hasOwn(errorCatalog, value)) return value
  if (!/^[\w.:-]{1,64}$/.test(value)) return undefined
  const isWords = /^[a-z_]+$/.test(value)
  return redact(value, secrets, isWords ? undefined : alwaysMasked) === value ? value : undefined
}
