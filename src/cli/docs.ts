import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { nearestName } from '../options/nearest-name.ts'
import { subcommand } from './command.ts'
import { CommandFailure } from './failure.ts'
import { programName } from './program-name.ts'
import { type Shell, styled } from './shell.ts'

/** A page of the documentation that the package contains. */
interface Page {
  /** The path below `docs`, without `.md`. The index of a folder has the path of the folder. */
  readonly topic: string
  readonly file: string
}

export function addDocs(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'docs',
    summary: 'print a page of the documentation of this version, or search all pages',
    examples: ['docs', 'docs webhooks', 'docs reference/errors', "docs 'Retry-After'"],
    notes: `Without a topic, the command lists the pages. A topic is the path of a page, or its last part: of two
pages with the same last part, the guide is printed. If no page has that name, all pages are searched
for it, in any case, and each line that contains it is printed. Pages are Markdown. The command sends
no requests.`,
    settings: false,
  })
    .argument('[topic]', 'a page, such as `webhooks` or `reference/errors`, or a text to search for')
    .action(async (topic?: string) => {
      const pages = await findPages()
      if (topic === undefined) return list(shell, pages)
      const page = find(pages, pathOf(topic))
      if (page !== undefined) return show(shell, page)
      const found = await search(pages, topic)
      if (found.length === 0) throw notFound(pages, pathOf(topic))
      printFound(shell, found, topic)
    })
}

const folders = ['guides/', 'reference/', 'explanation/']

/** Pages of no folder come first. */
const rankOf = (path: string) => folders.findIndex((folder) => path.startsWith(folder))

/** Returns the pages of the package that contains this file. */
async function findPages(): Promise<Page[]> {
  const root = dirname(fileURLToPath(import.meta.resolve('identity-service-sdk/package.json')))
  const below = await readdir(join(root, 'docs'), { recursive: true })
  const paths = below
    .map((path) => path.replaceAll('\\', '/'))
    // The folder of the site is in the repository only.
    .filter((path) => path.endsWith('.md') && !path.startsWith('site/'))
    .sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
  return [
    ...['README', 'CHANGELOG', 'SECURITY'].map((name) => ({
      topic: name.toLowerCase(),
      file: join(root, `${name}.md`),
    })),
    ...paths.map((path) => ({
      topic: path.replace(/(?:\/?README)?\.md$/, '') || 'index',
      file: join(root, 'docs', path),
    })),
  ]
}

async function read({ topic, file }: Page) {
  // The first line of a generated page says how it is generated.
  const markdown = (await readFile(file, 'utf8')).replace(/^<!--.*?-->\s*/, '')
  return { topic, title: /^# (.+)/m.exec(markdown)?.[1] ?? topic, markdown }
}

async function list(shell: Shell, pages: readonly Page[]): Promise<void> {
  const listed = await Promise.all(pages.map(read))
  if (shell.json) {
    shell.printJson(listed.map(({ topic, title }) => ({ topic, title })))
    return
  }
  const width = Math.max(...listed.map(({ topic }) => topic.length))
  for (const { topic, title } of listed) shell.print(styled('bold', topic.padEnd(width)), `  ${title}`)
}

/** Returns the path of a page as a topic may give it: with the folder `docs`, `.md` and the anchor of a heading. */
function pathOf(topic: string): string {
  const [path = ''] = topic.toLowerCase().split('#')
  return path.replace(/^(?:\.?\/)?(?:docs\/)?/, '').replace(/\.md$/, '')
}

/** Returns the page that a topic names. */
const find = (pages: readonly Page[], path: string): Page | undefined =>
  pages.find((one) => one.topic === path) ?? pages.find((one) => one.topic.split('/').at(-1) === path)

function notFound(pages: readonly Page[], path: string): CommandFailure {
  const nearest = nearestName(
    path,
    pages.flatMap((one) => [one.topic, one.topic.split('/').at(-1) ?? '']),
  )
  const next = nearest === undefined ? `To list the pages, run: ${programName} docs` : `Did you mean ${nearest}?`
  return new CommandFailure(
    `The documentation has no page "${path.slice(0, 64)}", and no page contains this text. ${next}`,
  )
}

/** Lines of a page that contain a text. */
interface FoundPage {
  readonly topic: string
  readonly title: string
  /** The first line of a page is 1. */
  readonly lines: readonly { readonly line: number; readonly text: string }[]
}

/** Returns the pages that contain a text, in any case. */
async function search(pages: readonly Page[], text: string): Promise<FoundPage[]> {
  const term = text.trim().toLowerCase()
  if (term === '') return []
  const found = pages.map(async (page) => {
    const { topic, title, markdown } = await read(page)
    const lines = markdown.split('\n').map((one, index) => ({ line: index + 1, text: one.trim() }))
    return { topic, title, lines: lines.filter((one) => one.text.toLowerCase().includes(term)) }
  })
  return (await Promise.all(found)).filter(({ lines }) => lines.length > 0)
}

function printFound(shell: Shell, found: readonly FoundPage[], text: string): void {
  if (shell.json) {
    shell.printJson(found)
    return
  }
  shell.log(`No page is named "${text.slice(0, 64)}". Pages that contain it: ${found.length}`)
  for (const { topic, title, lines } of found) {
    shell.print(styled('bold', topic), `  ${title}`)
    for (const one of lines) shell.print(`  ${one.line}: ${one.text}`)
  }
}

async function show(shell: Shell, page: Page): Promise<void> {
  const content = await read(page)
  if (shell.json) shell.printJson(content)
  else for (const line of content.markdown.trimEnd().split('\n')) shell.print(line)
}
