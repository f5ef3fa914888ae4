import { fileURLToPath } from 'node:url'
import { mergeConfig } from 'vitest/config'
import shared, { withoutFiles } from '../../vitest.config.ts'

const { test: { reporters: _, ...test } = {}, ...others } = withoutFiles(shared)
const seed = process.env.SEED ?? String(Date.now() % 2 ** 31)

const names = [
  ...['canaries', 'foreign-causes', 'hostile-json'],
  ...['attacks', 'properties', 'id-token', 'access-token', 'duplicate-members'],
  ...['output', 'csv', 'env-file', 'private-files', 'input-limits'],
  ...['damaged-snapshots', 'secrets', 'hostile-texts', 'remote-peers', 'foreign-forms', 'damaged-records'],
]

/** The suites that attack, with many more inputs than in a usual run. */
export default mergeConfig(
  { ...others, test },
  {
    test: {
      include: [`test/**/{${names.join(',')}}.test.ts`],
      env: { ATTACK: '1', SEED: seed },
      setupFiles: [fileURLToPath(new URL('./many-runs.ts', import.meta.url))],
      // The minimal reporter would print nothing of tests that pass, and they print counts.
      reporters: ['default', 'json'],
      testTimeout: 1_800_000,
      outputFile: { json: 'test-results/attack.json' },
    },
  },
)
