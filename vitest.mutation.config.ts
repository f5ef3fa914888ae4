import { mergeConfig } from 'vitest/config'
import { folder, folders } from './test/mutation/folders.mjs'
import shared, { withoutFiles } from './vitest.config.ts'

/** What a mutant is held against. A test that replaces a module needs files kept apart, which takes too long here. */
export default mergeConfig(withoutFiles(shared), {
  test: {
    include: folders[folder] ?? [],
    exclude: ['test/oidc/constant-time.test.ts'],
    globalSetup: ['test/mutation/keys-in-stock.ts'],
    setupFiles: ['test/mutation/keys-from-stock.ts'],
    pool: 'threads',
    isolate: false,
    // A mutant that answers never is found by this, and not by ending the whole process.
    testTimeout: 5_000,
    reporters: ['default'],
    outputFile: {},
  },
})
