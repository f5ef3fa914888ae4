import { readFileSync } from 'node:fs'
import { defineConfig, type Options } from 'tsup'
import { sbom } from './.ci/sbom.ts'

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
  // One copy of every class, so that an error from one entry is an instance of the class of another.
  splitting: true,
  esbuildPlugins: [sbom],
  define: { __SDK_VERSION__: JSON.stringify(version) },
  // The stylesheet and the icons of the emulator's pages.
  loader: { '.css': 'text', '.svg': 'text' },
  external: [/^node:/, /^#/, /^identity-service-sdk(?:\/|$)/, /^msw(?:\/|$)/],
  // Bundlers for other platforms recognize the modules of Node by the prefix only.
  removeNodeProtocol: false,
}

const scripts: Options[] = [
  { ...shared, format: ['esm'], entry: { ...entries, ...platforms } },
  {
    ...shared,
    format: ['cjs'],
    entry: { ...entries, ...platforms },
    platform: 'node',
    define: { ...shared.define, 'import.meta.url': '__filename' },
  },
  {
    ...shared,
    format: ['cjs'],
    // form-data is CommonJS, and requires modules of Node, so ES modules import this file too. With splitting, tsup hides
    // what is required from bundlers.
    entry: { 'platform/form-frames.node': 'src/http/body/form-frames.node.ts' },
    platform: 'node',
    splitting: false,
    esbuildOptions(options) {
      // form-data guesses content types with one, and names its class with the other. It needs neither here.
      const nothing = './src/http/body/nothing.cjs'
      options.alias = { 'mime-types': nothing, 'es-set-tostringtag': nothing }
    },
  },
  {
    ...shared,
    format: ['cjs'],
    // Jest cannot require an ES module, which jose is. With splitting, tsup breaks its syntax.
    entry: { 'platform/jose': 'src/runtime/jose.ts' },
    platform: 'node',
    noExternal: ['jose'],
    splitting: false,
  },
  {
    ...shared,
    format: ['cjs'],
    // ES modules import this file too: it reads the document that the build writes, at its first use.
    entry: { 'platform/openapi': 'src/emulator/openapi-document.ts' },
    platform: 'node',
    external: ['../openapi.json'],
    splitting: false,
  },
  {
    ...shared,
    format: ['esm'],
    entry: { cli: 'src/cli/main.ts' },
    platform: 'node',
    // commander is CommonJS, and requires modules of Node.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
    },
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
