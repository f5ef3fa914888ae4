import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { transform } from 'esbuild'
import { defineConfig, type Options } from 'tsup'
import ts from 'typescript'

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'))

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * The contract is declarations: a bundler may drop those that nobody uses. It cannot see that by itself, since each is
 * made by a call.
 */
const pureDeclarations: Plugin = {
  name: 'pure-declarations',
  setup(build) {
    build.onLoad({ filter: /\/src\/contract\/[\w-]+\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      const values = ts
        .createSourceFile(path, source, ts.ScriptTarget.Latest)
        .statements.filter(ts.isVariableStatement)
        .flatMap(({ declarationList: { declarations } }) =>
          declarations.map(({ initializer }) => initializer),
        )
        .filter((value) => value !== undefined && !ts.isArrowFunction(value))
      let contents = source
      for (const { pos, end } of values.reverse() as ts.Expression[])
        contents = `${contents.slice(0, pos)} /* @__PURE__ */ (() => (${contents.slice(pos, end)}))()${contents.slice(end)}`
      return { contents, loader: 'ts' }
    })
  },
}

/**
 * Without white space the package is a third smaller. Lines stay short, and names as they are, so that a stack still
 * tells where. ES modules keep their comments, which tell bundlers what may be dropped; nobody bundles the emulator.
 */
const dense: NonNullable<Options['plugins']>[number] = {
  name: 'dense',
  // When all is written: what makes CommonJS of ES modules would take offence at some of the shorter forms.
  async buildEnd({ writtenFiles }) {
    for (const { name } of writtenFiles) {
      const source = await readFile(name, 'utf8')
      if (!name.endsWith('.cjs') && !source.includes('// src/emulator/')) continue
      const { code } = await transform(source, {
        minifyWhitespace: true,
        minifySyntax: true,
        lineLimit: 160,
        charset: 'utf8',
      })
      await writeFile(name, code)
    }
  },
}

const shared: Options = {
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  // One copy of every class, in both formats: an error from one entry is the class of another.
  splitting: true,
  treeshake: false,
  esbuildPlugins: [pureDeclarations],
  plugins: [dense],
  define: { __SDK_VERSION__: JSON.stringify(version) },
  // Resolved when the package is installed: `imports` in package.json picks the platform's files.
  external: [/^node:/, '#platform', '#transport', '#listen'],
  // Bundlers that are not for Node know its modules by the prefix alone.
  removeNodeProtocol: false,
}

const entries = {
  index: 'src/index.ts',
  verification: 'src/verification.ts',
  oidc: 'src/oidc.ts',
  org: 'src/org.ts',
  webhooks: 'src/webhooks.ts',
  errors: 'src/errors.ts',
  express: 'src/express.ts',
  fastify: 'src/fastify.ts',
  'stores/redis': 'src/stores/redis.ts',
  'stores/postgres': 'src/stores/postgres.ts',
  emulator: 'src/emulator.ts',
  msw: 'src/msw.ts',
}

/** The command line uses the entries as any program does, so it loads what a command needs and nothing else. */
const ownEntries: Plugin = {
  name: 'own-entries',
  setup(build) {
    build.onResolve({ filter: /^(?:\.\.\/)+[a-z]+\.ts$/ }, ({ path, importer }) => {
      const name = basename(path, '.ts')
      const isEntry =
        Object.hasOwn(entries, name) && resolve(dirname(importer), path) === resolve(`src/${name}.ts`)
      return isEntry ? { path: `./${name}.js`, external: true } : undefined
    })
  },
}

export default defineConfig([
  {
    ...shared,
    // The command line is built at the same time.
    clean: ['!cli.js'],
    entry: {
      ...entries,
      'platform/node': 'src/platform/node.ts',
      'platform/web': 'src/platform/web.ts',
      'platform/transport.node': 'src/http/transport.node.ts',
      'platform/transport.web': 'src/http/transport.web.ts',
      'platform/listen.node': 'src/emulator/listen.ts',
      'platform/listen.web': 'src/emulator/listen.web.ts',
    },
    dts: false,
  },
  {
    ...shared,
    entry: { cli: 'src/cli/main.ts' },
    format: ['esm'],
    platform: 'node',
    splitting: false,
    minify: true,
    esbuildPlugins: [ownEntries],
    // commander is CommonJS, and asks for modules of Node.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
    },
    dts: false,
  },
  {
    ...shared,
    entry: entries,
    dts: {
      only: true,
      // tsup sets the option that TypeScript 6 deprecates.
      compilerOptions: { stripInternal: true, ignoreDeprecations: '6.0' },
    },
  },
])
