import { readFileSync } from 'node:fs'
import { defineConfig, type Options } from 'tsup'
import { sbom } from './.ci/sbom.ts'
import { sharedFiles } from './.ci/shared-files.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

/** The entries of package.json. */
export const entries = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks.ts',
  express: 'src/express.ts',
  fastify: 'src/fastify.ts',
  'stores/redis': 'src/stores-redis.ts',
  'stores/postgres': 'src/stores-postgres.ts',
  'stores/testing': 'src/stores-testing.ts',
  opentelemetry: 'src/opentelemetry.ts',
  emulator: 'src/emulator.ts',
  msw: 'src/msw.ts',
}

/** What differs between platforms: `imports` of package.json selects one of each pair. */
const platforms = {
  'platform/undici.node': 'src/http/transport/undici.node.ts',
  'platform/undici.web': 'src/http/transport/undici.web.ts',
  'platform/node-http.node': 'src/emulator/server/node-http.node.ts',
  'platform/node-http.web': 'src/emulator/server/node-http.web.ts',
  'platform/form-frames.web': 'src/http/body/form-frames.web.ts',
}

const shared: Options = {
  target: 'es2022',
  platform: 'neutral',
  splitting: false,
  esbuildPlugins: [sbom],
  define: { __SDK_VERSION__: JSON.stringify(version) },
  // The stylesheet and the icons of the emulator's pages.
  loader: { '.css': 'text', '.svg': 'text' },
  external: [/^node:/, /^#/, /^identity-service-sdk(?:\/|$)/, /^msw(?:\/|$)/],
  // Bundlers for other platforms recognize the modules of Node by the prefix only.
  removeNodeProtocol: false,
}

/** Entries that load `clients`: what the root has in common with others. What any other entry loads is in `core`. */
const withClients = ['index', 'express', 'platform/undici.node']
/** What only these share is not loaded in production. */
const forTests = ['emulator', 'msw']

const { writing, loading } = await sharedFiles({ ...entries, ...platforms }, (users) => {
  const production = users.filter((name) => !forTests.includes(name))
  if (production.length === 0) return 'emulation'
  return production.every((name) => withClients.includes(name)) ? 'clients' : 'core'
})

const whole: Options = { ...shared, entry: { ...entries, ...platforms }, esbuildPlugins: [sbom, writing, loading] }

const scripts: Options[] = [
  { ...whole, format: ['esm'] },
  {
    ...whole,
    format: ['cjs'],
    platform: 'node',
    esbuildOptions(options) {
      // The sandbox of Jest rejects `import()`.
      options.supported = { 'dynamic-import': false }
    },
  },
  {
    ...shared,
    format: ['cjs'],
    // form-data is CommonJS, and requires modules of Node, so ES modules import this file too.
    entry: { 'platform/form-frames.node': 'src/http/body/form-frames.node.ts' },
    platform: 'node',
    esbuildOptions(options) {
      // form-data guesses content types with one, and names its class with the other. It needs neither here.
      const nothing = './src/http/body/nothing.cjs'
      options.alias = { 'mime-types': nothing, 'es-set-tostringtag': nothing }
    },
  },
  {
    ...shared,
    format: ['cjs'],
    // Jest cannot require an ES module, which jose is.
    entry: { 'platform/jose': 'src/runtime/jose.ts' },
    platform: 'node',
    noExternal: ['jose'],
  },
  {
    ...shared,
    format: ['cjs'],
    // ES modules import this file too: it reads the document that the build writes, at its first use.
    entry: { 'platform/openapi': 'src/emulator/openapi-document.ts' },
    platform: 'node',
    external: ['../openapi.json'],
  },
  {
    ...shared,
    format: ['esm'],
    // An older Node can load this file, and not what it imports afterwards.
    entry: { cli: 'src/cli/main.ts' },
    external: ['./start.js'],
    platform: 'node',
    banner: { js: '#!/usr/bin/env node' },
  },
  {
    ...shared,
    format: ['esm'],
    entry: { start: 'src/cli/start.ts' },
    esbuildPlugins: [sbom, loading],
    platform: 'node',
    // commander is CommonJS, and requires modules of Node.
    banner: { js: "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)" },
  },
]

/**
 * Bundles what `prebuild` has written with the native compiler, in a tenth of the time. `.ci/write-generated.mts` adds the
 * declarations of the ES modules.
 */
const declarations: Options = {
  ...shared,
  format: ['cjs'],
  entry: Object.fromEntries(
    Object.entries(entries).map(([name, source]) => [name, `.cache/declarations/${source.replace(/ts$/, 'd.ts')}`]),
  ),
  // tsup sets the option that TypeScript 6 deprecates.
  dts: { only: true, compilerOptions: { ignoreDeprecations: '6.0' } },
}

/** `tsup --no-dts` builds the scripts alone, which takes a tenth of the time. */
export default defineConfig(({ dts }) => (dts === undefined ? [...scripts, declarations] : scripts))
