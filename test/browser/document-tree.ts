import type { Page } from 'playwright-core'

/** A document as the browser understood it, piece by piece in its order. */
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

/** What the browser understands of the page that it shows. */
export const piecesOf = async (page: Page): Promise<Piece[]> => (await read(page, undefined))[0] ?? []

/** What the browser understands of documents, which it does not show for that. */
export const piecesOfEach = (page: Page, markups: readonly string[]): Promise<Piece[][]> =>
  read(page, markups)

async function read(page: Page, markups: readonly string[] | undefined): Promise<Piece[][]> {
  // As one string: that is far quicker to hand over than as many objects.
  const pieces = await page.evaluate((texts) => {
    const pieces: Piece[] = []
    const walk = (node: NodeLike, name: string) => {
      if (node.nodeType === 3) pieces.push({ kind: 'text', name, value: String(node.nodeValue) })
      if (node.nodeType === 8) pieces.push({ kind: 'comment', name, value: String(node.nodeValue) })
      if (node.nodeType !== 1) return
      pieces.push({ kind: 'element', name: node.nodeName })
      for (const attribute of node.attributes ?? [])
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
 * Says where a document is another than one that was made with harmless words, apart from the texts that stand in
 * place of these.
 *
 * @param texts by harmless word: each way in which its text may be written
 * @returns nothing where they are the same; else the first difference
 */
export function difference(
  harmless: readonly Piece[],
  hostile: readonly Piece[],
  texts: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  for (const [i, expected] of harmless.entries()) {
    const found = hostile[i]
    const at = `${tell(harmless[i - 1])}, then ${tell(expected)}`
    if (found?.kind !== expected.kind || found.name !== expected.name) return `${at}: found ${tell(found)}`
    if ('value' in expected && 'value' in found && !matches(expected.value, found.value, texts))
      return `${at}: found ${tell(found)}`
  }
  return hostile.length > harmless.length ? `one more: ${tell(hostile[harmless.length])}` : undefined
}

const tell = (piece: Piece | undefined) =>
  piece === undefined
    ? 'the end'
    : `${piece.kind} ${piece.name} ${'value' in piece ? JSON.stringify(piece.value).slice(0, 300) : ''}`

/** What differs between any two visits: ports and signatures, and as a whole nonces and whether the log is live. */
const masks: readonly (readonly [RegExp, string])[] = [
  [/127\.0\.0\.1(?::\d+)?/g, '127.0.0.1:PORT'],
  [/\b[\da-f]{64}\b/g, 'SIGNATURE'],
]
const masked = (text: string) => masks.reduce((so, [found, mask]) => so.replaceAll(found, mask), text)

const differs = /^(?:[\da-f]{8}-[\da-f-]{27})?$|^(?:Live: |Load the page again )/

/** What a page puts in place of the rest of a long text. */
const cutMark = / … \d+ more characters$/

function matches(harmless: string, hostile: string, texts: ReadonlyMap<string, readonly string[]>): boolean {
  if (differs.test(harmless)) return differs.test(hostile)
  const isCut = cutMark.test(hostile)
  let possible = [masked(hostile.replace(cutMark, ''))]
  for (const part of masked(harmless).split(/(qx[a-z]+xq)/)) {
    const ways = texts.get(part)?.map(masked) ?? [part]
    if (isCut && possible.some((left) => ways.some((way) => way.startsWith(left)))) return true
    possible = possible.flatMap((left) =>
      ways.filter((way) => left.startsWith(way)).map((way) => left.slice(way.length)),
    )
  }
  return possible.includes('')
}
