import { mergeConfig } from 'vitest/config'
import shared, { withoutFiles } from './vitest.config.ts'

/** Tests with many processes and thousands of calls. The files run one after the other, because they measure. */
export default mergeConfig(withoutFiles(shared), {
  test: {
    include: ['test/campaigns/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 120_000,
    outputFile: { json: 'test-results/campaigns.json' },
  },
})
