import { fileURLToPath } from 'node:url'

const versions = ['5.4', '5.9', '6', '7'] as const

/** The compilers that `npm ci --prefix test/types` installs. */
export type CompilerName = `typescript-${(typeof versions)[number]}`

export const compilers = versions.map((version): CompilerName => `typescript-${version}`)

export const isCompiler = (name: string): name is CompilerName => compilers.some((one) => one === name)

export const compilerPath = (name: CompilerName): string => installedTypes(`${name}/bin/tsc`)

/** Returns the path of an installed file. */
export const installedTypes = (path: string): string =>
  fileURLToPath(new URL(`node_modules/${path}`, import.meta.url))
