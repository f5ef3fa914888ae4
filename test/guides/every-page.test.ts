import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { runCli } from '../cli/terminal.ts'
import { isCode } from '../support/documented-code.ts'
import { type CodeBlock, readPage } from '../support/markdown.ts'
import { publicPages } from '../support/public-pages.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = new Map(publicPages.map((path) => [path, readPage(readFileSync(join(root, path), 'utf8'))]))
const page = (path: string) => pages.get(path) ?? { blocks: [], links: [], headings: [], prose: '' }

/** Returns the blocks of a kind, each with its page and line. */
const blocksOf = (isKind: (language: string) => boolean): (readonly [string, CodeBlock])[] =>
  [...pages].flatMap(([path, { blocks }]) =>
    blocks.filter(({ language }) => isKind(language)).map((block) => [`${path}:${block.line}`, block] as const),
  )

it('every page with code has a test file of the same name that runs it', () => {
  const withCode = publicPages.filter((path) => page(path).blocks.some(({ language }) => isCode(language)))

  const untested = withCode.filter((path) => {
    const test = path === 'README.md' ? 'readme' : `guides/${basename(path, '.md').toLowerCase()}`
    const file = join(root, 'test', `${test}.test.ts`)
    return !existsSync(file) || !readFileSync(file, 'utf8').includes(`documentedCode('${path}'`)
  })

  expect(withCode).toContain('README.md')
  expect(untested).toEqual([])
})

it('every block names a language that is checked', () => {
  const known = new Set(['js', 'ts', 'json', 'sh', 'text', 'mermaid'])

  expect(blocksOf((language) => !known.has(language)).map(([place]) => place)).toEqual([])
})

it('every server of a sample has a port, also if `PORT` is not set', () => {
  const withoutDefault = blocksOf(isCode).filter(([, { source }]) => /process\.env\.PORT(?! \?\? 3000)/.test(source))

  expect(withoutDefault.map(([place]) => place)).toEqual([])
})

it('every JSON block can be parsed', () => {
  for (const [place, { source }] of blocksOf((language) => language === 'json'))
    expect(() => JSON.parse(source), place).not.toThrow()
})

it('every relative link leads to an existing file and heading', () => {
  const broken: string[] = []
  for (const [path, { links }] of pages)
    for (const link of links) {
      if (/^[a-z][a-z+.-]*:/i.test(link)) continue
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : join(dirname(path), file)
      const fileExists = existsSync(join(root, target))
      const hasAnchor = anchor === undefined || page(target).headings.some((one) => one.anchor === anchor)
      if (!fileExists || !hasAnchor) broken.push(`${path} -> ${link}`)
    }
  expect(broken).toEqual([])
})

it('the index of the documentation links to every page', () => {
  const linked = page('docs/README.md').links.map((link) => join('docs', link.split('#')[0] ?? ''))
  const unlinked = publicPages.filter(
    (path) => /^docs\/(?!about|decisions|README)/.test(path) && !linked.includes(path),
  )
  expect(unlinked).toEqual([])
})

it('every command of a page exists and has the options that are used', async () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const wrong: string[] = []
  for (const [place, { source }] of blocksOf((language) => language === 'sh'))
    for (const command of commandsOf(source)) {
      const [program = '', ...words] = command
      const fault = program === 'npm' ? npmFault(words, scripts) : await commandFault(program, words, dirname(place))
      if (fault !== '') wrong.push(`${place}: ${command.join(' ')}: ${fault}`)
    }
  expect(wrong).toEqual([])
})

/** Splits a block into commands of words, without comments, redirections and leading variables. */
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

function npmFault(words: readonly string[], scripts: Readonly<Record<string, string>>): string {
  const [verb = '', name = ''] = words.filter((word) => !word.startsWith('-'))
  if (verb === 'test') return 'test' in scripts ? '' : 'no such script'
  if (verb === 'run') return name in scripts ? '' : 'no such script'
  return ['ci', 'init', 'install', 'pack'].includes(verb) ? '' : 'not an npm command that guides use'
}

/** Programs that pages can use besides node, npm and npx. */
const otherPrograms = new Set([
  ...['cd', 'cp', 'curl', 'docker', 'export', 'kill', 'mkdir', 'openssl', 'pip', 'python3', 'source'],
])

async function commandFault(program: string, words: readonly string[], folder: string): Promise<string> {
  if (program === 'node' && (words[0] === '-p' || words[0] === '-e')) return ''
  if (program === 'node' || (program === 'npx' && words[0] === 'tsx')) {
    const script = words.find((word) => !word.startsWith('-') && word !== 'tsx')
    const isInRepository = [root, join(root, folder)].some((from) => existsSync(join(from, script ?? '')))
    return isInRepository || readerFiles.has(script ?? '') ? '' : 'no such file'
  }
  if (program === 'npx' && words[0] === 'identity-service-sdk') return cliFault(words.slice(1))
  if (program === 'npx' && words[0] === 'vitest')
    return words
      .filter((word) => word.includes('.') || word.includes('/'))
      .every((path) => existsSync(join(root, path)))
      ? ''
      : 'no such file'
  return otherPrograms.has(program) ? '' : 'no such program'
}

/** Files that the reader creates. Pages name them in the text before their code. */
const readerFiles = new Set(
  [...pages.values()].flatMap(({ prose }) => [...prose.matchAll(/`([\w.-]+\.m?[jt]s)`/g)].map(([, file]) => file)),
)

async function cliFault(words: readonly string[]): Promise<string> {
  const name = words.slice(0, words[0] === 'webhook' || words[0] === 'members' ? 2 : 1)
  const { status, stdout } = await runCli([...name, '--help'])
  if (status !== 0) return 'no such command'
  const options = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0] ?? '')
  return options.filter((option) => !new RegExp(`${option}\\b`).test(stdout)).join(', ')
}
