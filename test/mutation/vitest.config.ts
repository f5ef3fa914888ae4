import { mergeConfig } from 'vitest/config'
import shared, { withoutFiles } from '../../vitest.config.ts'
import { FastestFirst } from './fastest-first.ts'
import { folder, folders } from './folders.mjs'

/** Setup that is shared by all runs of a process, for the folders that need it. */
const setupOnce: Record<string, object> = {
  stores: { globalSetup: ['test/mutation/shared-postgres.ts'] },
  oidc: {
    globalSetup: ['test/mutation/generate-rsa-keys.ts'],
    setupFiles: ['test/mutation/reuse-rsa-keys.ts'],
  },
}

/** Runs the tests of one mutated folder. */
export default mergeConfig(mergeConfig(withoutFiles(shared), { test: setupOnce[folder] ?? {} }), {
  test: {
    include: (folders[folder] ?? []).map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.test.ts`)),
    sequence: { sequencer: FastestFirst },
    pool: 'threads',
    isolate: false,
    // Ends the test of a mutant that never finishes, so that the process survives.
    testTimeout: 5_000,
    reporters: ['default'],
    outputFile: {},
  },
})
