/**
 * What is mutated, and the tests that it is held against: those of the folder, and of what stands right on it.
 *
 * @type {Record<string, string[]>}
 */
export const folders = {
  stores: ['test/stores/*.test.ts', 'test/services/stores{,-failures}.test.ts'],
  webhooks: ['test/webhooks/*.test.ts', 'test/frameworks/{express,fastify}.test.ts'],
  oidc: ['test/oidc/**/*.test.ts'],
  http: [
    'test/http/*.test.ts',
    'test/errors/*.test.ts',
    'test/verification/{responses,bad-params,checks,client,idempotency,images,raw-request}.test.ts',
    'test/verification/{sessions,spend-limit,status-update}.test.ts',
    'test/org/{bad-params,client,retries,secrets}.test.ts',
  ],
}

/** The folder of one run, named in the environment because the processes of a run share nothing else. */
export const folder = process.env.MUTATED_FOLDER ?? 'stores'
