import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config'
import { patient } from './test/support/patience.ts'

/** Returns patterns for all tests in some folders of `test`. */
function folders(names: string): string[] {
  return names.split(',').map((name) => `test/${name}/**/*.test.ts`)
}

const src = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

/**
 * Tests that take long, need the packages of `test/package.json`, or run what is documented and packed, in a config of
 * their own: `npm run outside`.
 */
export const outside = [
  ...folders('browser,runtimes,examples,site,types,services,docstrings,guides,reference,package,interop'),
  'test/frameworks/{open-telemetry,small-chunks}.test.ts',
  'test/msw/sign-in.test.ts',
  'test/observe/loggers.test.ts',
  'test/cli/{built,emulator/dev}.test.ts',
  'test/openapi/{generated-client,linter,tour}.test.ts',
  'test/{bench,contributing,examples-testing,quickstart,regular-expressions}.test.ts',
]

const elsewhere = [...configDefaults.exclude, ...folders('campaigns,consumers'), ...outside]

/** Collects garbage after each test, which takes long in a process that holds the modules of all tests. */
const ownProcess = 'test/runtime/unused-bulk.test.ts'

/** Tests that replace no module and leave nothing behind, so that their files share the loaded modules. */
const together = folders(
  'cli,contract,emulator,errors,faults,frameworks,http,msw,mutation,observe,oidc,openapi,options,org,runtime,simulation,stores,vectors,verification,webhooks',
)

type Plugin = Extract<NonNullable<ViteUserConfig['plugins']>[number], { name: string }>

/** Loads stylesheets and icons as text, as the build does. */
const textFiles: Plugin = {
  name: 'text-files',
  enforce: 'pre',
  async resolveId(source, importer) {
    if (!/\.(?:css|svg)$/.test(source)) return null
    const file = await this.resolve(source, importer, { skipSelf: true })
    return file && `\0${file.id}.text`
  },
  load: (id: string) =>
    id.startsWith('\0') && id.endsWith('.text')
      ? `export default ${JSON.stringify(readFileSync(id.slice(1, -'.text'.length), 'utf8'))}`
      : null,
}

export default defineConfig({
  plugins: [textFiles],
  define: { __SDK_VERSION__: JSON.stringify('0.0.0-test') },
  resolve: {
    alias: {
      '#form-frames': src('http/body/form-frames.node.ts'),
      '#undici': src('http/transport/undici.node.ts'),
      '#jose': 'jose',
      '#openapi': src('../tools/openapi/document.ts'),
      '#node-http': src('emulator/server/node-http.node.ts'),
    },
  },
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'together', include: together, exclude: [...elsewhere, ownProcess], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'apart',
          include: ['test/*.test.ts', ownProcess],
          exclude: elsewhere,
        },
      },
    ],
    environment: 'node',
    setupFiles: [fileURLToPath(new URL('./test/support/stubs.ts', import.meta.url))],
    globalSetup: [fileURLToPath(new URL('./test/support/packing.ts', import.meta.url))],
    // By default one core is left idle, which is half of a machine with two.
    maxWorkers: '100%',
    // Only a test that hangs comes to these limits, however busy the machine is.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: patient.timeout } },
    reporters: ['minimal', 'json'],
    outputFile: { json: 'test-results/vitest.json' },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
})

/** Returns the config without its lists of files, because `mergeConfig` would add them to those of another config. */
export function withoutFiles({ test = {}, ...shared }: ViteUserConfig): ViteUserConfig {
  const { projects: _, ...rest } = test
  return { ...shared, test: rest }
}
