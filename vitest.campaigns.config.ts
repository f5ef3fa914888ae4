import { mergeConfig } from 'vitest/config'
import shared, { withoutFiles } from './vitest.config.ts'

/** Many processes and many thousands of calls: one file after the other, so that none is measured beside another. */
export default mergeConfig(withoutFiles(shared), {
  test: {
    include: ['test/campaigns/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 120_000,
    outputFile: { json: 'test-results/campaigns.json' },
  },
})
