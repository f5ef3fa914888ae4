/** @type {(folder: string, names: string) => string[]} */
const files = (folder, names) => names.split(' ').map((name) => `test/${folder}/${name}.test.ts`)

const httpTests = [
  'test/http',
  'test/errors',
  ...files('verification', 'responses bad-params checks client idempotency images raw-request'),
  ...files('verification', 'sessions status-update'),
  ...files('org', 'bad-params client retries secrets'),
]

/**
 * The folders of src that are mutated, with the files and folders of tests that run for each: its own tests, and those
 * of the layer above it.
 *
 * @type {Record<string, string[]>}
 */
export const folders = {
  runtime: ['test/runtime', ...httpTests],
  stores: [
    'test/stores',
    ...files('errors', 'option-names'),
    ...files('services', 'stores stores-failures stores-time-limits postgres-inbox'),
  ],
  webhooks: ['test/webhooks', ...files('frameworks', 'express fastify')],
  oidc: ['test/oidc'],
  http: httpTests,
}

/** The folder of the current run, from the environment, because the processes of a run share nothing else. */
export const folder = process.env.MUTATED_FOLDER ?? 'stores'
