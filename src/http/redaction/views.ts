import { decodeUtf8 } from '../../runtime/bytes.ts'
import { decodings, fromHex, textOf } from './decodings.ts'

/** A way to read a text. */
export interface View {
  readonly text: string
  /** For each character, where the part of the original text that it comes from starts. */
  readonly starts: readonly number[]
  /** And where that part ends. */
  readonly ends: readonly number[]
  /**
   * - `text`: words, as they are read.
   * - `bytes`: decoded bytes, in which the characters next to a value are random.
   * - `letters`: letters and digits only, so that words have no borders.
   */
  readonly kind: 'text' | 'bytes' | 'letters'
}

/** Escapes in JSON, in source code and the output of a debugger, in a page and in a URL. */
const escapes =
  /\\u(?<json>[\da-f]{4})|(?<bytes>(?:\\x[\da-f]{2})+)|\\(?<sign>["'\\/bfnrt])|&#x(?<hex>[\da-f]{1,6});|&#(?<decimal>\d{1,7});|&(?<name>amp|lt|gt|quot|apos|nbsp);|(?<url>(?:%[\da-f]{2})+)/gi

type Escape = Readonly<Record<string, string | undefined>>

const signs: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

function unescaped({ json, bytes, sign, hex, decimal, name, url }: Escape): string {
  if (url !== undefined) return textOf(fromHex(url.replaceAll('%', '')))
  if (bytes !== undefined) {
    const given = fromHex(bytes.replace(/\\x/gi, ''))
    return decodeUtf8(given) ?? String.fromCharCode(...given)
  }
  if (sign !== undefined) return signs[sign.toLowerCase()] ?? sign
  if (name !== undefined) return entities[name.toLowerCase()] ?? ''
  const code = decimal === undefined ? Number.parseInt(json ?? hex ?? '', 16) : Number(decimal)
  return code <= 0x10ffff ? String.fromCodePoint(code) : ''
}

class ViewBuilder {
  readonly #pieces: string[] = []
  readonly #starts: number[] = []
  readonly #ends: number[] = []

  /** Appends a text. Each of its characters stands for the whole part from `start` to `end`. */
  append(text: string, start: number, end: number): void {
    this.#pieces.push(text)
    for (let i = 0; i < text.length; i++) {
      this.#starts.push(start)
      this.#ends.push(end)
    }
  }

  copy(view: View, from: number, to: number): void {
    this.#pieces.push(view.text.slice(from, to))
    for (let i = from; i < to; i++) {
      this.#starts.push(view.starts[i] as number)
      this.#ends.push(view.ends[i] as number)
    }
  }

  build(kind: View['kind']): View {
    return { kind, text: this.#pieces.join(''), starts: this.#starts, ends: this.#ends }
  }
}

function withoutEscapes(view: View): View | undefined {
  const builder = new ViewBuilder()
  let copied = 0
  for (const { 0: match, index, groups = {} } of view.text.matchAll(escapes)) {
    const end = index + match.length
    builder.copy(view, copied, index)
    builder.append(unescaped(groups), view.starts[index] as number, view.ends[end - 1] as number)
    copied = end
  }
  if (copied === 0) return undefined
  builder.copy(view, copied, view.text.length)
  return builder.build('text')
}

const separators = /[^\p{L}\p{N}]+/gu

/** Returns a text as it is compared if spaces, punctuation and markup do not count. */
export const lettersOf = (text: string): string => text.replace(separators, '')

function lettersIn(view: View): View {
  const builder = new ViewBuilder()
  let copied = 0
  for (const { 0: match, index } of view.text.matchAll(separators)) {
    builder.copy(view, copied, index)
    copied = index + match.length
  }
  builder.copy(view, copied, view.text.length)
  return builder.build('letters')
}

const withSpaces = (view: View): View | undefined =>
  view.text.includes('+') ? { ...view, text: view.text.replaceAll('+', ' ') } : undefined

/** Longer words are masked anyway. */
const encodedWord = /[\w+/-]{6,39}/g

function decodedWords(view: View): View {
  const builder = new ViewBuilder()
  for (const { 0: word, index } of view.text.matchAll(encodedWord)) {
    const start = view.starts[index] as number
    const end = view.ends[index + word.length - 1] as number
    for (const decoded of decodings(word)) builder.append(`${decoded}\0`, start, end)
  }
  return builder.build('bytes')
}

/**
 * Returns the ways to read a text: as it is, with its escapes decoded once and twice, with a space for each plus, without
 * punctuation, and what its words encode in base64 or hexadecimal. Takes linear time.
 */
export function viewsOf(text: string): View[] {
  const starts = Array.from({ length: text.length }, (_, i) => i)
  const plain: View = { kind: 'text', text, starts, ends: starts.map((start) => start + 1) }
  const views = [plain]
  const add = (view: View | undefined) => {
    if (view) views.push(view)
    return view
  }
  const spaced = add(withSpaces(plain))
  const once = add(withoutEscapes(plain))
  if (spaced) add(withoutEscapes(spaced))
  if (once) {
    const twice = add(withoutEscapes(once))
    const spacedOnce = add(withSpaces(once))
    if (spacedOnce) add(withoutEscapes(spacedOnce))
    if (twice) add(withSpaces(twice))
  }
  return [...views, ...views.map(decodedWords), ...views.map(lettersIn)]
}
