import { configDefaults, mergeConfig } from 'vitest/config'
import shared, { withoutFiles } from '../../vitest.config.ts'

const { test: { reporters: _, ...test } = {}, ...others } = withoutFiles(shared)

/** The packed package in projects of each kind, two at a time, because each is a process of its own. */
export default mergeConfig(
  { ...others, test },
  {
    test: {
      include: ['test/consumers/**/*.test.ts'],
      // A registry and a project for each installer take a minute.
      exclude: [...configDefaults.exclude, ...(process.env.WHOLE ? [] : ['test/consumers/release.test.ts'])],
      sequence: { concurrent: true },
      maxConcurrency: 2,
      // The minimal reporter would print nothing of tests that pass, and they print a table.
      reporters: ['default', 'json'],
      testTimeout: 600_000,
      hookTimeout: 120_000,
      outputFile: { json: 'test-results/consumers.json' },
    },
  },
)
