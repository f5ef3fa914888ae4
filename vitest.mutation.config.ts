import { mergeConfig } from 'vitest/config'
import { folder, folders } from './test/mutation/folders.mjs'
import { QuickestFirst } from './test/mutation/quickest-first.ts'
import shared, { withoutFiles } from './vitest.config.ts'

/** What is made once for all the runs of a process, by the folder whose tests need it. */
const inCommon: Record<string, object> = {
  stores: { globalSetup: ['test/mutation/postgres-in-common.ts'] },
  oidc: {
    globalSetup: ['test/mutation/keys-in-stock.ts'],
    setupFiles: ['test/mutation/keys-from-stock.ts'],
  },
}

/** What a mutant is held against. */
export default mergeConfig(withoutFiles(shared), {
  test: {
    include: folders[folder] ?? [],
    ...inCommon[folder],
    sequence: { sequencer: QuickestFirst },
    pool: 'threads',
    isolate: false,
    // A mutant that answers never is found by this, and not by ending the whole process.
    testTimeout: 5_000,
    reporters: ['default'],
    outputFile: {},
  },
})
