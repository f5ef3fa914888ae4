import { readFileSync } from 'node:fs'
import { defineConfig, type Options } from 'tsup'
import ts from 'typescript'
import { fewChunks, withTabs } from './tsup.chunks.ts'
import { noDocstrings, withoutDocstrings } from './tsup.docstrings.ts'
import { thirdPartyLicenses } from './tsup.licenses.ts'
import { bundledFormData, minifyThirdParty } from './tsup.third-party.ts'

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'))

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/** Whether an expression runs code. Bundlers drop all others by themselves. */
function runsCode(node: ts.Node): boolean {
  if (ts.isFunctionLike(node)) return false
  const runs =
    ts.isCallExpression(node) ||
    ts.isNewExpression(node) ||
    ts.isPropertyAccessExpression(node) ||
    ts.isElementAccessExpression(node) ||
    ts.isSpreadElement(node) ||
    ts.isSpreadAssignment(node) ||
    ts.isTemplateExpression(node) ||
    ts.isTaggedTemplateExpression(node) ||
    ts.isBinaryExpression(node)
  return runs || ts.forEachChild(node, runsCode) === true
}

/**
 * Marks the declarations of the contract as pure, so that bundlers drop those that a program does not use. They cannot
 * see that by themselves, because each declaration is a call: without the marks, a bundle with `VerificationClient` is
 * 23.7 KiB (budget: 22), with them 22.0.
 */
const pureDeclarations: Plugin = {
  name: 'pure-declarations',
  setup(build) {
    build.onLoad({ filter: /\/src\/contract\/[\w/-]+\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      const values = ts
        .createSourceFile(path, source, ts.ScriptTarget.Latest)
        .statements.filter(ts.isVariableStatement)
        .flatMap(({ declarationList: { declarations } }) =>
          declarations.map(({ initializer }) => initializer),
        )
        .filter((value) => value !== undefined && runsCode(value))
      let contents = source
      for (const { pos, end } of values.reverse() as ts.Expression[])
        contents = `${contents.slice(0, pos)} /* @__PURE__ */ (() => (${contents.slice(pos, end)}))()${contents.slice(end)}`
      return { contents: withoutDocstrings(contents), loader: 'ts' }
    })
  },
}

const licenses = thirdPartyLicenses('dist/THIRD-PARTY-LICENSES')

// Those with # are resolved in the installed package, by `imports` in package.json.
const external = [/^node:/, '#form-frames', '#undici', '#node-http']

const shared: Options = {
  format: ['esm'],
  target: 'es2022',
  platform: 'neutral',
  // One copy of every class, so that an error from one entry is an instance of the class of another.
  splitting: true,
  sourcemap: true,
  treeshake: false,
  esbuildPlugins: [bundledFormData, pureDeclarations, noDocstrings, licenses],
  define: { __SDK_VERSION__: JSON.stringify(version) },
  external,
  // Bundlers for other platforms recognize Node's modules by the prefix only.
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
  'stores/testing': 'src/stores/testing.ts',
  emulator: 'src/emulator.ts',
  msw: 'src/msw.ts',
}

// An entry of its own, so that checking a signature shares no chunk with parsing an event.
const signature = 'src/webhooks/signature.ts'

/** Entries of `imports` in package.json. */
const runtimes = {
  'runtime/form-frames.node': 'src/http/body/form-frames.node.ts',
  'runtime/form-frames.web': 'src/http/body/form-frames.web.ts',
  'runtime/undici.node': 'src/http/transport/undici.node.ts',
  'runtime/undici.web': 'src/http/transport/undici.web.ts',
  'runtime/node-http.node': 'src/emulator/server/node-http.node.ts',
  'runtime/node-http.web': 'src/emulator/server/node-http.web.ts',
}

export default defineConfig([
  {
    ...shared,
    entry: { ...entries, ...runtimes, signature },
    plugins: [
      fewChunks(
        Object.keys({ ...entries, ...runtimes }),
        [signature, 'errors', 'webhooks', 'index'],
        [licenses],
      ),
    ],
    dts: false,
  },
  {
    ...shared,
    entry: { cli: 'src/cli/main.ts' },
    format: ['esm'],
    platform: 'node',
    // The command line imports the entries by name, as any program does, so that a command loads only what it needs.
    external: [...external, /^identity-service-sdk\//],
    // The first file only checks the version of Node. It loads the rest from a folder.
    splitting: true,
    esbuildOptions: (options) => void Object.assign(options, { chunkNames: 'cli/[name]-[hash]' }),
    sourcemap: false,
    esbuildPlugins: [pureDeclarations, noDocstrings, licenses],
    plugins: [
      {
        name: 'small-script',
        renderChunk: async (code) => ({ code: withTabs(await minifyThirdParty(code)) }),
      },
    ],
    // commander is CommonJS and requires modules of Node.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
    },
    dts: false,
  },
  {
    ...shared,
    entry: entries,
    // Those for ES modules refer to these: tsup.declarations.mjs.
    format: ['cjs'],
    dts: {
      only: true,
      // tsup sets the option that TypeScript 6 deprecates.
      compilerOptions: { stripInternal: true, ignoreDeprecations: '6.0' },
    },
  },
])
