import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config'

/** Every test below some folders of `test`. */
function folders(names: string): string[] {
  return names.split(',').map((name) => `test/${name}/**/*.test.ts`)
}

const src = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

/** They take minutes: `npm run campaigns` and `npm run outside` run them. */
const elsewhere = [...configDefaults.exclude, ...folders('campaigns,browser,runtimes,examples,site,types')]

/** Tests of these replace no module and leave nothing behind, so they need not load everything anew in each file. */
const together = folders(
  'contract,emulator,errors,frameworks,http,interop,msw,oidc,org,platform,verification,webhooks',
)

export default defineConfig({
  define: { __SDK_VERSION__: JSON.stringify('0.0.0-test') },
  resolve: {
    alias: {
      '#platform': src('runtime/platform.node.ts'),
      '#transport': src('http/transport/default.node.ts'),
      '#listen': src('emulator/server/listen.node.ts'),
    },
  },
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'together', include: together, exclude: elsewhere, isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'apart',
          include: ['test/**/*.test.ts'],
          exclude: [...elsewhere, ...together],
        },
      },
    ],
    environment: 'node',
    globalSetup: ['test/support/packing.ts'],
    // By default one core is left idle, which on two is half of them.
    maxWorkers: '100%',
    // On a busy machine a test may take long, and is not wrong for it.
    testTimeout: 20_000,
    reporters: ['default', 'json'],
    outputFile: { json: 'test-results/vitest.json' },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
})

/** The same for other tests: lists of files would be added to one another. */
export function withoutFiles({ test = {}, ...shared }: ViteUserConfig): ViteUserConfig {
  const { projects: _, ...rest } = test
  return { ...shared, test: rest }
}
