import { mergeConfig } from 'vitest/config'
import shared, { withoutFiles } from './vitest.config.ts'

/** Tests of the pages in a browser, other runtimes, the examples, the site, and the compilers of consumers. */
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
