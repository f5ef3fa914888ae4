/**
 * The folders that are mutated, with the tests that run for each: its own, and those of the layer above it.
 *
 * @type {Record<string, string[]>}
 */
export const folders = {
  stores: ['test/stores/*.test.ts', 'test/services/stores{,-failures}.test.ts'],
  webhooks: ['test/webhooks/*.test.ts', 'test/frameworks/{express,fastify}.test.ts'],
  oidc: ['test/oidc/**/*.test.ts'],
  http: [
    'test/http/**/*.test.ts',
    'test/errors/*.test.ts',
    'test/verification/{responses,bad-params,checks,client,idempotency,images,raw-request}.test.ts',
    'test/verification/{sessions,spend-limit,status-update}.test.ts',
    'test/org/{bad-params,client,retries,secrets}.test.ts',
  ],
}

/** The folder of the current run, from the environment, because the processes of a run share nothing else. */
export const folder = process.env.MUTATED_FOLDER ?? 'stores'
