import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = temporaryFolder()

/** Returns the paths of tracked files that match a pattern. */
const tracked = (pattern: string) =>
  execFileSync('git', ['ls-files', '-z', pattern], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter(Boolean)

const versionOf = (project: string): string =>
  JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')).version

/** Returns the version in each lock file and in each name of the tarball, by the path of the file. */
function copiesOf(project: string, lockFiles: readonly string[], pages: readonly string[]) {
  const locked = lockFiles.flatMap((path) => {
    const { packages } = JSON.parse(readFileSync(join(project, path), 'utf8')) as {
      packages: Record<string, { name?: string; version: string }>
    }
    return Object.values(packages)
      .filter(({ name }) => name === 'identity-service-sdk')
      .map(({ version }) => ({ path, version }))
  })
  const named = pages.flatMap((path) =>
    [...readFileSync(join(project, path), 'utf8').matchAll(/identity-service-sdk-(\d\S*)\.tgz/g)].map(
      ([, version]) => ({ path, version }),
    ),
  )
  return [...locked, ...named]
}

it('lock files and pages name the version of package.json', () => {
  const copies = copiesOf(root, tracked('*package-lock.json'), tracked('*.md'))

  const paths = copies.map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['package-lock.json', 'examples/next/package-lock.json']))
  expect(copies.filter(({ version }) => version !== versionOf(root))).toEqual([])
})

const copied = ['package.json', 'package-lock.json', 'examples/next/package-lock.json', 'CHANGELOG.md']

beforeAll(() => {
  for (const path of [...copied, '.changeset', '.ci'])
    cpSync(join(root, path), join(folder, path), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n')
  writeFileSync(join(folder, 'page.md'), 'npm install ./identity-service-sdk-0.9.0-rc.3.tgz express\n')
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder })
  git('init', '--quiet', '--initial-branch=main')
  git('add', '.')
  git('-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '--message=Begin')
})

it('a changeset makes the next version, with a section at the start of the changelog', () => {
  writeFileSync(
    join(folder, '.changeset/faster.md'),
    "---\n'identity-service-sdk': patch\n---\n\nEach call is faster.\n",
  )

  execFileSync('npm', ['run', '--silent', 'next-version'], { cwd: folder, stdio: 'pipe' })

  const version = versionOf(root).replace(/\d+$/, (last) => String(Number(last) + 1))
  expect(versionOf(folder)).toBe(version)
  const copies = copiesOf(folder, copied.slice(1, 3), ['page.md'])
  expect(copies.map((copy) => copy.version)).toEqual([version, version, version])
  const [first = ''] = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')
    .split(/^(?=## )/m)
    .slice(1)
  expect(first).toMatch(`## ${version}\n`)
  expect(first).toContain('Each call is faster.')
}, 60_000)
