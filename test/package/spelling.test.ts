import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const words = readFileSync(`${root}/cspell-words.txt`, 'utf8').trim().split('\n')

/** Returns the words of a text that the spell checker reports. */
function reported(text: string, path: string): string[] {
  const args = [
    'node_modules/cspell/bin.mjs',
    '--no-progress',
    '--no-summary',
    '--words-only',
    `stdin://${root}${path}`,
  ]
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, input: text, encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\n').filter(Boolean)
}

// cspell:disable-next-line
const british = 'behaviour cancelled catalogue centre honour licence organisation'.split(' ')

it.each(['README.md', 'test/readme.test.ts'])('a British spelling is reported in %s', (path) => {
  const american = 'The behavior, canceled, catalog, center, honor, license, organization.'

  expect(reported(`// ${american} ${british.join(' ')}\n`, path)).toEqual(british)
})

it('a misspelled word is reported, also as a part of a name', () => {
  // cspell:disable
  const text = 'const fuondSession = 1 // the descision\n'

  expect(reported(text, 'src/index.ts')).toEqual(['fuond', 'descision'])
  // cspell:enable
})

it('the list of words is sorted, and has each once', () => {
  expect(words).toEqual([...new Set(words)].sort())
})

it('each word of the list is in a file of the repository', () => {
  const excluded = ['cspell-words.txt', '**/package-lock.json', 'package-lock.json', 'docs/licenses'].map(
    (path) => `:!${path}`,
  )
  const args = ['grep', '-ohiF', ...words.flatMap((word) => ['-e', word]), '--', '.', ...excluded]

  const { stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })

  const used = new Set(stdout.toLowerCase().split('\n'))
  expect(words.filter((word) => !used.has(word))).toEqual([])
})
