import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { type } from '../cli/terminal.ts'
import { isCode } from '../support/documented.ts'
import { type CodeBlock, readPage } from '../support/markdown.ts'
import { publicPages } from '../support/public-pages.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = new Map(publicPages.map((path) => [path, readPage(readFileSync(join(root, path), 'utf8'))]))
const page = (path: string) => pages.get(path) ?? { blocks: [], links: [], headings: [], prose: '' }

/** The blocks of a kind, each with the place where it stands. */
const blocksOf = (isOfKind: (language: string) => boolean): (readonly [string, CodeBlock])[] =>
  [...pages].flatMap(([path, { blocks }]) =>
    blocks
      .filter(({ language }) => isOfKind(language))
      .map((block) => [`${path}:${block.line}`, block] as const),
  )

it('every page with code has a test file of its name that runs it', () => {
  const withCode = publicPages.filter((path) => page(path).blocks.some(({ language }) => isCode(language)))

  const untested = withCode.filter((path) => {
    const test = path === 'README.md' ? 'readme' : `guides/${basename(path, '.md').toLowerCase()}`
    const file = join(root, 'test', `${test}.test.ts`)
    return !existsSync(file) || !readFileSync(file, 'utf8').includes(`documented('${path}'`)
  })

  expect(withCode).toContain('README.md')
  expect(untested).toEqual([])
})

it('every block says what it is, and is of a kind that is checked', () => {
  const known = new Set(['js', 'ts', 'json', 'sh', 'text', 'mermaid'])

  expect(blocksOf((language) => !known.has(language)).map(([place]) => place)).toEqual([])
})

it('every block of JSON can be parsed', () => {
  for (const [place, { source }] of blocksOf((language) => language === 'json'))
    expect(() => JSON.parse(source), place).not.toThrow()
})

it('every relative link leads to a file and a heading that are there', () => {
  const broken: string[] = []
  for (const [path, { links }] of pages)
    for (const link of links) {
      if (/^[a-z][a-z+.-]*:/i.test(link)) continue
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : join(dirname(path), file)
      const isThere = existsSync(join(root, target))
      const hasAnchor = anchor === undefined || page(target).headings.some((one) => one.anchor === anchor)
      if (!isThere || !hasAnchor) broken.push(`${path} -> ${link}`)
    }
  expect(broken).toEqual([])
})

it('the index of the guides leads to every page of the folder', () => {
  const linked = page('docs/README.md').links.map((link) => join('docs', link.split('#')[0] ?? ''))
  const unlinked = publicPages.filter(
    (path) => /^docs\/[^/]+$/.test(path) && path !== 'docs/README.md' && !linked.includes(path),
  )
  expect(unlinked).toEqual([])
})

it('every command of a page is one that exists, with options that it has', async () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const wrong: string[] = []
  for (const [place, { source }] of blocksOf((language) => language === 'sh'))
    for (const command of commandsOf(source)) {
      const [program = '', ...words] = command
      const complaint =
        program === 'npm' ? wrongWithNpm(words, scripts) : await wrongWith(program, words, dirname(place))
      if (complaint !== '') wrong.push(`${place}: ${command.join(' ')}: ${complaint}`)
    }
  expect(wrong).toEqual([])
})

/** What is typed, in words: without comments, variables before the command and what it is piped to. */
function commandsOf(source: string): string[][] {
  const lines = source.replace(/\\\n/g, ' ').split('\n')
  return lines
    .map((line) => line.replace(/(^|\s)#.*$/, ''))
    .flatMap((line) => line.split(/&&|\||;/))
    .map((command) => command.replace(/\s*[<>]\s*\S+/g, '').trim())
    .map((command) => command.match(/(?:"[^"]*"|'[^']*'|\S)+/g) ?? [])
    .map((words) => words.slice(words.findIndex((word) => !/^[A-Z_]+=/.test(word))))
    .filter((words) => words.length > 0)
}

function wrongWithNpm(words: readonly string[], scripts: Readonly<Record<string, string>>): string {
  const [verb = '', name = ''] = words.filter((word) => !word.startsWith('-'))
  if (verb === 'test') return 'test' in scripts ? '' : 'no such script'
  if (verb === 'run') return name in scripts ? '' : 'no such script'
  return ['ci', 'init', 'install', 'pack'].includes(verb) ? '' : 'npm has no such command here'
}

/** Programs of the machine that pages may name. */
const others = new Set(['cd', 'curl', 'docker', 'export', 'kill', 'mkdir', 'openssl', 'source'])

async function wrongWith(program: string, words: readonly string[], folder: string): Promise<string> {
  if (program === 'node' && (words[0] === '-p' || words[0] === '-e')) return ''
  if (program === 'node') {
    const script = words.find((word) => !word.startsWith('-'))
    const isOurs = [root, join(root, folder)].some((from) => existsSync(join(from, script ?? '')))
    return isOurs || named.has(script ?? '') ? '' : 'no such file'
  }
  if (program === 'npx' && words[0] === 'identity-service') return wrongWithCommand(words.slice(1))
  return others.has(program) ? '' : 'no such program'
}

/** Files that a reader makes: pages tell their names in the text before their code. */
const named = new Set(
  [...pages.values()].flatMap(({ prose }) =>
    [...prose.matchAll(/`([\w-]+\.m?js)`/g)].map(([, file]) => file),
  ),
)

async function wrongWithCommand(words: readonly string[]): Promise<string> {
  const name = words.slice(0, words[0] === 'webhook' || words[0] === 'members' ? 2 : 1)
  const { status, stdout } = await type([...name, '--help'])
  if (status !== 0) return 'no such command'
  const options = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? '')
  return options.filter((option) => !new RegExp(`${option}\\b`).test(stdout)).join(', ')
}
