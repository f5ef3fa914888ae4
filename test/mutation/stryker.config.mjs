import { folder, foldersIn } from './folders.mjs'

const results = `test-results/mutation/${folder}`

/** Mutation testing of one folder of src: `npm run mutation` runs it for each. */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  // What `testStore` checks is itself a test suite: a run of it takes seconds.
  mutate: [
    `src/${folder}/**/*.ts`,
    ...foldersIn(folder).map((name) => `!src/${name}/**`),
    '!src/stores/{testing.ts,testing/**}',
  ],
  ignorePatterns: ['/api', '/bench', '/dist', '/docs', '/examples', '/test-results'],
  coverageAnalysis: 'perTest',
  // A mutant of code that runs when a module is loaded would need its own process.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 10_000,
  incremental: true,
  incrementalFile: `${results}/incremental.json`,
  reporters: ['progress-append-only', 'clear-text', 'html'],
  clearTextReporter: { logTests: false, reportMutants: false },
  htmlReporter: { fileName: `${results}/report.html` },
  tempDirName: `${results}/sandbox`,
}
