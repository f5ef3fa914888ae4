import { mergeConfig } from 'vitest/config'
import shared, { withoutFiles } from './vitest.config.ts'

/** What the package meets outside: a browser at the emulator's pages, and runtimes other than this Node. */
export default mergeConfig(withoutFiles(shared), {
  test: {
    include: [
      'test/browser/**/*.test.ts',
      'test/runtimes/**/*.test.ts',
      'test/examples/**/*.test.ts',
      'test/site/**/*.test.ts',
      'test/types/**/*.test.ts',
    ],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    outputFile: { json: 'test-results/outside.json' },
  },
})
