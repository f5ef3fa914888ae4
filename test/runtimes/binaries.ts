import { fileURLToPath } from 'node:url'

/** The path of each program in the `node_modules` that `npm ci --prefix test` installs. */
const binaries = {
  // Older than the package supports.
  'node-18': 'node-18/bin/node',
  'node-20': 'node-20/bin/node',
  'node-22': 'node-22/bin/node',
  // The oldest of its line that the package supports.
  'node-22.13': 'node-22.13/bin/node',
  'node-24': 'node-24/bin/node',
  'node-26': 'node-26/bin/node',
  bun: '@oven/bun-linux-x64/bin/bun',
  deno: '@deno/linux-x64-glibc/deno',
  workerd: '@cloudflare/workerd-linux-64/bin/workerd',
  esbuild: '../../node_modules/esbuild/bin/esbuild',
  // Next.js is installed with its example.
  next: '../../examples/next/node_modules/next/dist/bin/next',
} as const

export type RuntimeName = keyof typeof binaries

export const isRuntime = (name: string): name is RuntimeName => Object.hasOwn(binaries, name)

export const runtimePath = (name: RuntimeName): string =>
  fileURLToPath(new URL(`../node_modules/${binaries[name]}`, import.meta.url))
