import { mergeConfig } from 'vitest/config'
import shared, { outside, withoutFiles } from '../vitest.config.ts'

/**
 * Tests with browsers, other runtimes, real services and compilers of consumers, of the examples, the guides, the site,
 * the code in docstrings and the packed package.
 */
export default mergeConfig(withoutFiles(shared), {
  test: {
    include: outside,
    outputFile: { json: 'test-results/outside.json' },
  },
})
