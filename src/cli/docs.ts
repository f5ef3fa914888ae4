import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { nearestName } from '../runtime/nearest-name.ts'
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
    summary: 'print a page of the documentation of this version',
    examples: ['docs', 'docs webhooks', 'docs http-reference/sessions', 'docs changelog'],
    notes: `Without a topic, the command lists the pages. A topic is the path of a page, or its last part: of two
pages with the same last part, the guide is printed. Pages are Markdown. The command sends no requests.`,
    settings: false,
  })
    .argument('[topic]', 'a page, such as `webhooks` or `reference/errors`')
    .action(async (topic?: string) => {
      const pages = await findPages()
      if (topic === undefined) await list(shell, pages)
      else await show(shell, choose(pages, topic))
    })
}

const folders = ['guides/', 'reference/', 'explanation/', 'http-reference/', 'about/']

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

/** Returns the page that a topic names. */
function choose(pages: readonly Page[], asked: string): Page {
  const [path = ''] = asked.toLowerCase().split('#')
  const topic = path.replace(/^(?:\.?\/)?(?:docs\/)?/, '').replace(/\.md$/, '')
  const page =
    pages.find((one) => one.topic === topic) ?? pages.find((one) => one.topic.split('/').at(-1) === topic)
  if (page !== undefined) return page
  const nearest = nearestName(
    topic,
    pages.flatMap((one) => [one.topic, one.topic.split('/').at(-1) ?? '']),
  )
  const next =
    nearest === undefined ? `To list the pages, run: ${programName} docs` : `Did you mean ${nearest}?`
  throw new CommandFailure(`The documentation has no page "${topic.slice(0, 64)}". ${next}`)
}

async function show(shell: Shell, page: Page): Promise<void> {
  const content = await read(page)
  if (shell.json) shell.printJson(content)
  else for (const line of content.markdown.trimEnd().split('\n')) shell.print(line)
}
