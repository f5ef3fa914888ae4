import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Returns the paths of tracked files that match a pattern. */
const tracked = (pattern: string) =>
  execFileSync('git', ['ls-files', '-z', pattern], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)

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

it('lock files have the integrity of every package, and no address of a registry', () => {
  const files = tracked('*package-lock.json')
  const texts = files.map(read)
  const locked = texts.flatMap((text) =>
    Object.entries<{ integrity?: string; link?: true; inBundle?: true }>(JSON.parse(text).packages),
  )
  const packages = locked.filter(([path, { link, inBundle }]) => path.includes('node_modules/') && !link && !inBundle)
  const unverified = packages.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'))

  expect(packages.length).toBeGreaterThan(2000)
  // The registry has these binaries of pnpm for Linux x64 only. Others are needed by nobody who runs the tests.
  expect(unverified.map(([path]) => path).filter((path) => !path.startsWith('node_modules/@pnpm/exe.'))).toEqual([])
  for (const text of texts) expect(text).not.toMatch(/"resolved": "(?!\.\.)/)
})
