/** A fenced block of a page. */
export interface CodeBlock {
  /** Its heading; from the second block of a language under one heading on, with a number: `Errors 2`. */
  readonly name: string
  /** What stands after the fence: `js`, `sh`, `json`. Nothing where nothing stands there. */
  readonly language: string
  readonly source: string
  /** Where it begins, counted from 1. */
  readonly line: number
}

interface Heading {
  readonly text: string
  /** As a link names it. */
  readonly anchor: string
}

interface Page {
  readonly blocks: readonly CodeBlock[]
  readonly headings: readonly Heading[]
  /** What links and pictures lead to, as it is written. */
  readonly links: readonly string[]
  /** The page without its fenced blocks. */
  readonly prose: string
}

/** Reads a page as GitHub shows it: fences, headings with their anchors, links. */
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
      if (text !== undefined) headings.push({ text: shown(text), anchor: anchorOf(shown(text), headings) })
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
  if (open !== undefined) throw new Error(`the block of line ${open.line} has no end`)

  const text = prose.join('\n')
  const links = [...text.replace(/`[^`\n]*`/g, '').matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)]
  return { blocks, headings, prose: text, links: links.map(([, target]) => String(target)) }
}

/** A heading without its marks: code, emphasis and links are their text. */
const shown = (text: string) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '')

/** As GitHub makes it: the second heading of a text has `-1` after it. */
function anchorOf(text: string, before: readonly Heading[]): string {
  const anchor = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
  const same = before.filter((heading) => heading.text.toLowerCase() === text.toLowerCase()).length
  return same === 0 ? anchor : `${anchor}-${same}`
}
