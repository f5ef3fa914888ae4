import { fileURLToPath } from 'node:url'

/** What `npm ci --prefix test/runtimes` installs beside packages, and where each program is. */
const binaries = {
  'node-22': 'node-22/bin/node',
} as const

export type RuntimeName = keyof typeof binaries

export const isRuntime = (name: string): name is RuntimeName => Object.hasOwn(binaries, name)

export const runtimePath = (name: RuntimeName): string =>
  fileURLToPath(new URL(`node_modules/${binaries[name]}`, import.meta.url))
