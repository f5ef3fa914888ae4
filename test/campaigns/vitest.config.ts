import { mergeConfig } from 'vitest/config'
import shared, { withoutFiles } from '../../vitest.config.ts'

const { test: { reporters: _, ...test } = {}, ...others } = withoutFiles(shared)

/** Tests with many processes and thousands of calls. */
export default mergeConfig(
  { ...others, test },
  {
    test: {
      include: ['test/campaigns/**/*.test.ts'],
      // The minimal reporter would print nothing of tests that pass, and they print figures.
      reporters: ['default', 'json'],
      testTimeout: 600_000,
      hookTimeout: 120_000,
      outputFile: { json: 'test-results/campaigns.json' },
    },
  },
)
