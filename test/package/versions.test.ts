import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Returns the paths of tracked files that match a pattern. */
const tracked = (pattern: string) =>
  execFileSync('git', ['ls-files', '-z', pattern], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter(Boolean)

const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** The version of the package in a lock file. */
const lockedIn = (path: string) =>
  Object.values<{ name?: string; version: string }>(JSON.parse(read(path)).packages)
    .filter(({ name }) => name === 'identity-service-sdk')
    .map(({ version }) => ({ path, version }))

/** The versions in the names of the tarball on a page. */
const namedIn = (path: string) =>
  [...read(path).matchAll(/identity-service-sdk-(\d\S*)\.tgz/g)].map(([, version]) => ({ path, version }))

it('lock files and pages name the version of package.json', () => {
  const copies = [...tracked('*package-lock.json').flatMap(lockedIn), ...tracked('*.md').flatMap(namedIn)]
  const { version: current } = JSON.parse(read('package.json'))

  const paths = copies.map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['package-lock.json', 'examples/next/package-lock.json']))
  expect(copies.filter(({ version }) => version !== current)).toEqual([])
})
