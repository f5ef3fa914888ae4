import { defineConfig, mergeConfig } from 'vitest/config'
import shared from './vitest.config.ts'

const { exclude: _, include: __, ...test } = shared.test ?? {}

/** Many processes and many thousands of calls: one file after the other, so that none is measured beside another. */
export default mergeConfig(
  { ...shared, test },
  defineConfig({
    test: {
      include: ['test/campaigns/**/*.test.ts'],
      fileParallelism: false,
      testTimeout: 600_000,
      hookTimeout: 120_000,
      outputFile: { json: 'test-results/campaigns.json' },
    },
  }),
)
