import { fileURLToPath } from 'node:url'

const versions = ['5.4', '5.9', '6', '7'] as const

/** The compilers that `npm ci --prefix test` installs. */
export type CompilerName = `typescript-${(typeof versions)[number]}`

const everyCompiler = versions.map((version): CompilerName => `typescript-${version}`)

export const isCompiler = (name: string): name is CompilerName => everyCompiler.some((one) => one === name)

/** The oldest and the newest, or all with `npm run outside -- --all`. */
export const compilers: readonly CompilerName[] = process.env.WHOLE ? everyCompiler : ['typescript-5.4', 'typescript-7']

export const compilerPath = (name: CompilerName): string => installedTypes(`${name}/bin/tsc`)

/** Returns the path of an installed file. */
export const installedTypes = (path: string): string =>
  fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url))
