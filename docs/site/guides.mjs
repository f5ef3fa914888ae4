import { readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Converter } from 'typedoc'

const root = fileURLToPath(new URL('../../', import.meta.url))
const index = 'docs/README.md'

/** The section of the index of guides under which each page stands. */
function sectionsOfIndex() {
  const sections = new Map([[index, 'Guides']])
  let section = ''
  for (const line of readFileSync(join(root, index), 'utf8').split('\n')) {
    section = /^## (.+)$/.exec(line)?.[1] ?? section
    const page = /^- \[[^\]]+\]\(([^)#]+)\)/.exec(line)?.[1]
    if (page) sections.set(join(dirname(index), page), section)
  }
  return sections
}

/** Guides are called by their first heading, and stand in the sidebar as they stand in their index. */
export function load({ converter }) {
  const sections = sectionsOfIndex()
  converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
    const { files } = document.project
    const path = files.getReflectionPath(document)
    const title = /^# (.+)$/m.exec(document.content.map(({ text }) => text).join(''))?.[1]
    if (title) document.name = title.replaceAll('`', '')
    document.frontmatter.group = sections.get(relative(root, path)) ?? sectionOf(relative(root, path))
    // Where a folder is linked to, GitHub shows its README.
    if (basename(path) === 'README.md') files.registerReflectionPath(dirname(path), document)
  })
}

function sectionOf(path) {
  if (path.startsWith('docs/decisions/')) return 'Decisions'
  return path.startsWith('examples/') ? 'Examples' : 'Reference'
}
