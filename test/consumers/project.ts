import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Returns the path of a file of the tools: test runners, compilers, bundlers. */
export const tool = (path: string): string => here(`node_modules/${path}`)

/** The end of a program. A test runner needs another one. */
export const asProgram = 'runScenario()'
export const asTest = `test('every step', () => runScenario(), 60_000)`

/**
 * Returns the scenario as a script of one format, with another end.
 *
 * @param without a step that is left out, with the package of its name
 */
export async function scenario(format: 'ts' | 'esm' | 'cjs', end: string, without?: 'express'): Promise<string> {
  const source = await readFile(here('scenario.ts'), 'utf8')
  const steps =
    without === undefined
      ? source
      : `${source.replace(/^import express .*$/m, 'const express = undefined as any')}\ndelete steps.${without}`
  const program = `${steps}\n${end}\n`
  return format === 'ts' ? program : (await transform(program, { loader: 'ts', format, target: 'es2022' })).code
}

/** A project of a user, in a temporary folder. */
export interface Project {
  readonly folder: string
  /** Writes files, by path. */
  write(files: Readonly<Record<string, string>>): Promise<void>
  /** Makes packages of the tools available to imports, by linking them. */
  link(...names: string[]): Promise<void>
  /** Runs a program in the folder. What it prints is part of the error if it fails. */
  run(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>
  /** Moves files into an empty folder, where no `node_modules` is in reach, with some packages of this project. */
  moved(paths: readonly string[], packages?: readonly string[]): Promise<Project>
}

/** Folders of a run, and how to remove them. */
export class Projects {
  readonly #folders: string[] = []

  /** Creates a project in which npm installed the tarball, and express. */
  async install(tarball: string): Promise<Project> {
    const project = await this.empty()
    await project.write({ 'package.json': JSON.stringify({ name: 'consumer', private: true }) })
    await project.run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball, 'express@5.3.0'])
    return project
  }

  async copyOf({ folder }: Project): Promise<Project> {
    const copy = await this.empty()
    await cp(folder, copy.folder, { recursive: true, verbatimSymlinks: true })
    return copy
  }

  async empty(): Promise<Project> {
    const folder = await mkdtemp(join(tmpdir(), 'consumer-'))
    this.#folders.push(folder)
    return this.#at(folder)
  }

  async remove(): Promise<void> {
    await Promise.all(this.#folders.map((folder) => rm(folder, { recursive: true, force: true })))
  }

  #at(folder: string): Project {
    return {
      folder,
      async write(files) {
        for (const [path, text] of Object.entries(files)) {
          await mkdir(dirname(join(folder, path)), { recursive: true })
          await writeFile(join(folder, path), text)
        }
      },
      async link(...names) {
        for (const name of names) {
          const path = join(folder, 'node_modules', name)
          await mkdir(dirname(path), { recursive: true })
          await rm(path, { recursive: true, force: true })
          await symlink(tool(name), path)
        }
      },
      run: (program, args, env = {}) => runIn(folder, program, args, env),
      moved: async (paths, packages = []) => {
        const target = await this.empty()
        for (const path of paths) await cp(join(folder, path), join(target.folder, path), { recursive: true })
        for (const name of packages)
          await cp(join(folder, 'node_modules', name), join(target.folder, 'node_modules', name), {
            recursive: true,
            dereference: true,
          })
        return target
      },
    }
  }
}

/** Much longer than any program takes. One that still runs then would never end. */
const maxRunMs = 400_000

function runIn(folder: string, program: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  // Vitest's own settings would change how a consumer behaves.
  const { NODE_OPTIONS: _, SVC_TRANSPORT: _t, NODE_ENV: _e, VITEST: _v, ...own } = process.env
  const options = { cwd: folder, timeout: maxRunMs, killSignal: 'SIGKILL', maxBuffer: 64 << 20 } as const
  return new Promise<string>((resolve, reject) => {
    const child = execFile(
      program,
      [...args],
      { ...options, env: { ...own, NO_COLOR: '1', ...env } },
      (error, stdout, stderr) => {
        const printed = stdout + stderr
        if (error === null) resolve(printed)
        else
          reject(new Error(`${program} ${args.join(' ')}: ${error.signal ?? error.code}\n${printed}`.slice(0, 6_000)))
      },
    )
    child.stdin?.end()
  })
}
