import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

async function npm(args: readonly string[], cwd: string) {
  const { stdout, stderr } = await promisify(execFile)('npm', args, { cwd })
  return { stdout, stderr }
}

/** The folders with a lock file, except the benchmarks: they compare with the newest versions of other packages. */
const lockedFolders = [
  '.',
  'tools',
  'test',
  ...readdirSync(join(root, 'examples'))
    .map((name) => `examples/${name}`)
    .filter((path) => existsSync(join(root, path, 'package-lock.json'))),
]

/** Every folder with a lock file. */
const allLockedFolders = [...lockedFolders, 'bench']

const folder = temporaryFolder()

it('npm pack in a fresh clone builds first', async () => {
  // The scripts of the package, with a build that takes no time.
  writeFileSync(join(folder, 'package.json'), readFileSync(join(root, 'package.json')))
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  mkdirSync(join(folder, 'node_modules/typescript-7/bin'), { recursive: true })
  writeFileSync(join(folder, 'node_modules/typescript-7/bin/tsc'), '')
  const stub = (name: string, script: string) => {
    const file = join(folder, 'node_modules/.bin', name)
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
  }
  stub('tsup', 'mkdir dist && echo built > dist/index.js')
  stub('tsx', 'echo {} > dist/openapi.json')

  const { stdout } = await npm(['pack', '--dry-run', '--json'], folder)

  const [packed] = Object.values(JSON.parse(stdout) as Record<string, { files: { path: string }[] }>)
  expect(packed?.files.map(({ path }) => path)).toEqual(expect.arrayContaining(['dist/index.js', 'dist/openapi.json']))
})

/**
 * The command of Prisma contains a server that needs Node 22. Generating a client, and the client, do not. NestJS 12
 * runs on Node 20, except for its validator of uploaded files. MSW 3, nock 15 and OpenTelemetry 3 are tested with newer
 * lines. pg-boss 12 says that it needs it, and does what the example asks of it on Node 20 too.
 */
const withWarning = ['docs/site', 'examples/complete-app', 'examples/databases', 'examples/event-queues', 'test']

it.each(lockedFolders.filter((path) => !withWarning.includes(path)))(
  'npm ci in %s prints no warning about the version of Node',
  async (folder) => {
    const { stderr } = await npm(['ci', '--dry-run', '--offline', '--ignore-scripts'], join(root, folder))

    expect(stderr).not.toContain('EBADENGINE')
  },
)

interface LockedPackage {
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
}

/** Returns the packages of a lock file that `npm ci` downloads, by their place. */
function lockedPackages(folder: string): readonly (readonly [place: string, locked: LockedPackage])[] {
  const { packages } = JSON.parse(readFileSync(join(root, folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  return Object.entries(packages).filter(([place, { link }]) => place.includes('node_modules/') && !link)
}

it.each(allLockedFolders)('the lock file of %s names no registry', (folder) => {
  const addresses = lockedPackages(folder).flatMap(([, { resolved = '' }]) => /^\w+:.*/.exec(resolved)?.[0] ?? [])
  expect(addresses).toEqual([])
})

/** Whether continuous integration never installs a package: a binary for another platform than Linux x64 with glibc. */
const isForeign = ({ optional, os = ['linux'], cpu = ['x64'], libc = ['glibc'] }: LockedPackage) =>
  optional === true && !(os.includes('linux') && cpu.includes('x64') && libc.includes('glibc'))

it.each(allLockedFolders)(
  'the lock file of %s has the SHA-512 of each package, except of binaries for other platforms than Linux x64',
  (folder) => {
    const packages = lockedPackages(folder)
    const unverified = packages.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))

    expect(packages.length).toBeGreaterThan(5)
    expect(unverified.filter(([, locked]) => !isForeign(locked)).map(([place]) => place)).toEqual([])
  },
)
