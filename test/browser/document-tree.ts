import type { Page } from 'playwright-core'

/** A part of a document as the browser parsed it. */
export type Piece =
  | { readonly kind: 'element' | 'end'; readonly name: string }
  | { readonly kind: 'attribute'; readonly name: string; readonly value: string }
  | { readonly kind: 'text' | 'comment'; readonly name: string; readonly value: string }

interface NodeLike {
  readonly nodeType: number
  readonly nodeName: string
  readonly nodeValue: string | null
  readonly childNodes: Iterable<NodeLike>
  readonly content?: NodeLike
  readonly attributes?: Iterable<{ readonly name: string; readonly value: string }>
}
declare const document: { readonly documentElement: NodeLike }
declare const DOMParser: new () => { parseFromString(text: string, type: string): typeof document }

/** Returns the parts of the page that the browser shows, in document order. */
export const piecesOf = async (page: Page): Promise<Piece[]> => (await read(page, undefined))[0] ?? []

/** Parses documents in the browser without showing them, and returns the parts of each. */
export const piecesOfEach = (page: Page, markups: readonly string[]): Promise<Piece[][]> => read(page, markups)

async function read(page: Page, markups: readonly string[] | undefined): Promise<Piece[][]> {
  // Passed as one string, because that is much faster than many objects.
  const pieces = await page.evaluate((texts) => {
    const pieces: Piece[] = []
    const walk = (node: NodeLike, name: string) => {
      if (node.nodeType === 3) pieces.push({ kind: 'text', name, value: String(node.nodeValue) })
      if (node.nodeType === 8) pieces.push({ kind: 'comment', name, value: String(node.nodeValue) })
      if (node.nodeType !== 1) return
      pieces.push({ kind: 'element', name: node.nodeName })
      // A script shows the hidden buttons that copy.
      for (const attribute of [...(node.attributes ?? [])].filter(({ name }) => name !== 'hidden'))
        pieces.push({ kind: 'attribute', name: attribute.name, value: attribute.value })
      const inner = node.nodeName === 'TEMPLATE' ? node.content : node
      for (const child of inner?.childNodes ?? []) walk(child, node.nodeName)
      pieces.push({ kind: 'end', name: node.nodeName })
    }
    const documents = texts?.map((text) => new DOMParser().parseFromString(text, 'text/html')) ?? [document]
    return JSON.stringify(
      documents.map(({ documentElement }) => {
        pieces.length = 0
        walk(documentElement, '')
        return [...pieces]
      }),
    )
  }, markups)
  return JSON.parse(pieces)
}

/**
 * Compares a document with hostile texts with one that has harmless words instead. Returns the first difference other
 * than the texts, or `undefined` if there is none.
 *
 * @param texts for each harmless word, all forms in which the hostile text may be written
 */
export function difference(
  harmless: readonly Piece[],
  hostile: readonly Piece[],
  texts: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  for (const [i, expected] of harmless.entries()) {
    const found = hostile[i]
    const at = `${describePiece(harmless[i - 1])}, then ${describePiece(expected)}`
    if (found?.kind !== expected.kind || found.name !== expected.name) return `${at}: found ${describePiece(found)}`
    if ('value' in expected && 'value' in found && !matches(expected.value, found.value, texts))
      return `${at}: found ${describePiece(found)}`
  }
  return hostile.length > harmless.length ? `one more: ${describePiece(hostile[harmless.length])}` : undefined
}

const describePiece = (piece: Piece | undefined) =>
  piece === undefined
    ? 'the end'
    : `${piece.kind} ${piece.name} ${'value' in piece ? JSON.stringify(piece.value).slice(0, 300) : ''}`

/** Values that differ between any two visits. */
const masks: readonly (readonly [RegExp, string])[] = [
  [/127\.0\.0\.1(?::\d+)?/g, '127.0.0.1:PORT'],
  [/\b[\da-f]{64}\b/g, 'SIGNATURE'],
]
const masked = (text: string) => masks.reduce((masked, [found, mask]) => masked.replaceAll(found, mask), text)

/** Nonces, and whether the page shows changes. */
const varying = /^(?:[\da-f]{8}-[\da-f-]{27})?$|^(?:Live$|Reload the page )/

/** The end of a text that a page cut. */
const cutMark = / … \d+ more characters$/

function matches(harmless: string, hostile: string, texts: ReadonlyMap<string, readonly string[]>): boolean {
  if (varying.test(harmless)) return varying.test(hostile)
  const isCut = cutMark.test(hostile)
  let possible = [masked(hostile.replace(cutMark, ''))]
  for (const part of masked(harmless).split(/(qx[a-z]+xq)/)) {
    const forms = texts.get(part)?.map(masked) ?? [part]
    if (isCut && possible.some((left) => forms.some((form) => form.startsWith(left)))) return true
    possible = possible.flatMap((left) =>
      forms.filter((form) => left.startsWith(form)).map((form) => left.slice(form.length)),
    )
  }
  return possible.includes('')
}
