import { readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Converter, RendererEvent } from 'typedoc'

const root = fileURLToPath(new URL('../../', import.meta.url))
const index = 'docs/README.md'

/** Returns the section of the index that lists each guide. */
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

/** Names guides by their first heading, and groups them in the sidebar as in their index. */
export function load({ converter, renderer }) {
  const sections = sectionsOfIndex()
  converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
    const { files } = document.project
    const path = files.getReflectionPath(document)
    const title = /^# (.+)$/m.exec(document.content.map(({ text }) => text).join(''))?.[1]
    if (title) document.name = title.replaceAll('`', '')
    document.frontmatter.group = sections.get(relative(root, path)) ?? sectionOf(relative(root, path))
    // GitHub shows the README of a linked folder.
    if (basename(path) === 'README.md') files.registerReflectionPath(dirname(path), document)
  })
  renderer.on(RendererEvent.BEGIN, ({ project }) => {
    for (const part of project.readme ?? []) part.text = withPicture(part.text)
    const isIndex = (document) => relative(root, project.files.getReflectionPath(document) ?? '') === index
    const guides = project.documents?.find(isIndex)
    project.readme = withGuides(project.readme, guides.content)
  })
}

/** Inserts the index of the guides into the front page, after the first steps. */
function withGuides(readme, [first, ...others]) {
  const next = '## How it works'
  const at = readme.findIndex(({ text }) => text.includes(next))
  const [before, after] = readme[at].text.split(next)
  const text = (content) => ({ kind: 'text', text: content })
  const list = [text(first.text.replace(/^# (.+)\n/, '## $1\n')), ...others].map((part) =>
    part.kind === 'text' ? text(part.text.replace(/^## (?!Guides)/gm, '### ')) : part,
  )
  const whole = [text(before), ...list, text(`\n\n${next}${after}`)]
  return [...readme.slice(0, at), ...whole, ...readme.slice(at + 1)]
}

/** Removes the title, which the front page already has, and replaces the mermaid diagram with a prepared picture. */
const withPicture = (text) =>
  text.replace(/^# .+\n/, '').replace(/```mermaid\n[^`]+```/, () => picture.replace(/>\s+</g, '><').trim())

const picture = readFileSync(new URL('flow.svg', import.meta.url), 'utf8')

function sectionOf(path) {
  if (path.startsWith('docs/decisions/')) return 'Decisions'
  if (path.startsWith('docs/http-reference/')) return 'HTTP'
  return path.startsWith('examples/') ? 'Examples' : 'Reference'
}
