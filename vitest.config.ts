import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config'

const src = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

export default defineConfig({
  define: { __SDK_VERSION__: JSON.stringify('0.0.0-test') },
  resolve: {
    alias: {
      '#platform': src('platform/node.ts'),
      '#transport': src('http/transport.node.ts'),
      '#listen': src('emulator/listen.ts'),
    },
  },
  test: {
    include: ['test/**/*.test.ts'],
    // They take minutes: `npm run campaigns` and `npm run outside` run them.
    exclude: [
      ...configDefaults.exclude,
      'test/campaigns/**',
      'test/browser/**',
      'test/runtimes/**',
      'test/examples/**',
      'test/site/**',
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
  const { include: _, exclude: __, ...rest } = test
  return { ...shared, test: rest }
}
