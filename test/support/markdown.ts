/** A fenced code block of a page. */
export interface CodeBlock {
  /** The heading above the block. The second block of a language under one heading has a number: `Errors 2`. */
  readonly name: string
  /** The text after the fence: `js`, `sh`, `json`, or empty. */
  readonly language: string
  readonly source: string
  /** Number of its first line, from 1. */
  readonly line: number
}

interface Heading {
  readonly text: string
  /** The anchor in links. */
  readonly anchor: string
}

interface Page {
  readonly blocks: readonly CodeBlock[]
  readonly headings: readonly Heading[]
  /** Targets of links and images, as written. */
  readonly links: readonly string[]
  /** The page without its fenced blocks. */
  readonly prose: string
}

/** Reads fenced blocks, headings with their anchors, and links of a page, by the rules of GitHub. */
export function readPage(markdown: string): Page {
  const blocks: CodeBlock[] = []
  const headings: Heading[] = []
  const prose: string[] = []
  const counts = new Map<string, number>()
  const numbered = (name: string) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count
  }
  let open: { language: string; line: number; lines: string[] } | undefined

  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = /^```(.*)$/.exec(line)
    if (open === undefined && fence) {
      open = { language: String(fence[1]).trim(), line: index + 1, lines: [] }
    } else if (open === undefined) {
      prose.push(line)
      const text = /^#{1,6} +(.+?)\s*$/.exec(line)?.[1]
      if (text !== undefined) headings.push({ text: plainText(text), anchor: anchorOf(plainText(text), headings) })
    } else if (line === '```') {
      const heading = headings.at(-1)?.text ?? ''
      const count = numbered(`${open.language} ${heading}`)
      const name = count === 1 ? heading : `${heading} ${count}`
      blocks.push({ name, language: open.language, line: open.line, source: `${open.lines.join('\n')}\n` })
      open = undefined
    } else {
      open.lines.push(line)
    }
  }
  if (open !== undefined) throw new Error(`the block at line ${open.line} has no end`)

  const text = prose.join('\n')
  const links = [...text.replace(/`[^`\n]*`/g, '').matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)]
  return { blocks, headings, prose: text, links: links.map(([, target]) => String(target)) }
}

/** The text of a heading without the marks of code, emphasis and links. */
const plainText = (text: string) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '')

/** The anchor that GitHub gives a heading. The second heading with the same text ends in `-1`. */
function anchorOf(text: string, before: readonly Heading[]): string {
  const anchor = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
  const same = before.filter((heading) => heading.text.toLowerCase() === text.toLowerCase()).length
  return same === 0 ? anchor : `${anchor}-${same}`
}
