import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

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
    // They take minutes: `npm run campaigns` runs them.
    exclude: [...configDefaults.exclude, 'test/campaigns/**'],
    environment: 'node',
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
