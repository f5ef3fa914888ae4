import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, it } from 'vitest'
import { isRuntime, type RuntimeName, runtimePath } from '../runtimes/binaries.ts'
import { type CompilerName, compilerPath, isCompiler } from '../types/compilers.ts'

export type ServiceName = 'redis-server' | 'postgres' | 'mariadbd' | 'nginx' | 'chromium' | 'pytest'

/** These come with MariaDB. */
type MariadbProgram = 'mariadb' | 'mariadb-install-db'

type ProgramName = ServiceName | MariadbProgram | RuntimeName | CompilerName

/** Returns the path of an installed program. */
const findProgram = (program: ProgramName): string | undefined =>
  candidatesOf(program).find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })

function candidatesOf(program: ProgramName): string[] {
  if (isRuntime(program)) return [runtimePath(program)]
  if (isCompiler(program)) return [compilerPath(program)]
  return foldersOf(program).flatMap((folder) => namesOf(program).map((name) => join(folder, name)))
}

/** Distributions use different names for some programs. */
const names: { readonly [Name in ProgramName]?: readonly string[] } = {
  chromium: ['chromium', 'chromium-browser', 'google-chrome'],
  pytest: ['pytest', 'pytest-3'],
}

const namesOf = (program: ProgramName) => names[program] ?? [program]

function foldersOf(program: ProgramName): string[] {
  const path = (process.env.PATH ?? '').split(delimiter)
  if (program !== 'postgres') return [...path, '/usr/sbin', '/usr/local/sbin']
  // Debian installs each version in its own folder, outside the path.
  const home = '/usr/lib/postgresql'
  try {
    const versions = readdirSync(home).sort((a, b) => Number(b) - Number(a))
    return [...versions.map((version) => join(home, version, 'bin')), ...path]
  } catch {
    return path
  }
}

/**
 * A `describe` whose tests need real services or other runtimes. If a program is not installed, the tests are skipped
 * with one line that says so. Under `CI=true` they fail instead.
 *
 * @param shows what the tests show, as in 'that the Redis store follows the rules of stores'
 */
export function describeWith(programs: ProgramName | readonly ProgramName[], shows: string, tests: () => void): void {
  describeUnless(
    [programs].flat().filter((program) => findProgram(program) === undefined),
    shows,
    tests,
  )
}

/**
 * The same for other requirements of tests.
 *
 * @param missing the requirements that are not installed
 */
export function describeUnless(missing: readonly string[], shows: string, tests: () => void): void {
  if (missing.length === 0) {
    describe(shows, tests)
    return
  }
  const reason = `${missing.join(' and ')} not installed, so nothing here shows ${shows}`
  if (process.env.CI === 'true') {
    it(shows, () => {
      throw new Error(reason)
    })
    return
  }
  process.stderr.write(`skipped: ${reason}\n`)
  describe.skip(shows, tests)
}

/** Returns the path of a program that {@link describeWith} has found. */
export function requireBinary(program: ProgramName): string {
  const path = findProgram(program)
  if (path === undefined) throw new Error(`${program} is not installed`)
  return path
}
