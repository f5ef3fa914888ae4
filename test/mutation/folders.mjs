/** @type {(folder: string, names: string) => string[]} */
const files = (folder, names) => names.split(' ').map((name) => `test/${folder}/${name}.test.ts`)

const callTests = [
  ...files(
    'http',
    'aborts api-promise closing connection-errors events hooks in-progress-waits outcome-unknown',
  ),
  ...files('http', 'response-validation responses retries retry-budget retry-waits service-errors timeouts'),
  'test/errors',
  'test/faults',
]
const paramTests = ['test/http/params', ...files('verification', 'bad-params'), ...files('org', 'bad-params')]
const clientTests = [
  ...files(
    'verification',
    'responses checks client experimental idempotency images raw-request sessions status-update',
  ),
  ...files('org', 'client retries secrets'),
  ...files('oidc', 'bearer-request'),
  ...files('oidc/legacy', 'legacy'),
  ...files('http/body', 'image-inputs image-types'),
]

/**
 * The folders of src that are mutated, with the files and folders of tests that run for each: its own tests, and those
 * of the layer above it. A folder within another one that is listed is mutated only by itself, because each mutant that
 * survives runs all the tests that are listed with it.
 *
 * @type {Record<string, string[]>}
 */
export const folders = {
  runtime: ['test/runtime', 'test/http', 'test/webhooks', ...callTests, ...paramTests, ...clientTests],
  stores: [
    'test/stores',
    ...files('errors', 'option-names'),
    ...files('oidc/tokens', 'token-manager paused-process silent-store'),
    ...files('webhooks', 'leases'),
    ...files('verification/manager', 'on-change'),
    ...files('services', 'stores stores-failures stores-time-limits postgres-inbox'),
  ],
  webhooks: ['test/webhooks', ...files('frameworks', 'express fastify')],
  oidc: ['test/oidc'],
  http: [...callTests, ...paramTests, ...clientTests],
  'http/body': ['test/http/body', ...paramTests, ...clientTests, ...files('runtime', 'platforms')],
  'http/params': [...paramTests, ...clientTests],
  'http/sender': [...callTests, ...clientTests, 'test/http/transport'],
  'http/spend': ['test/http/spend'],
  'http/transport': ['test/http/transport', ...callTests, ...paramTests, ...files('verification', 'client')],
}

/** @param {string} folder */
export const foldersIn = (folder) => Object.keys(folders).filter((name) => name.startsWith(`${folder}/`))

/** The folder of the current run, from the environment, because the processes of a run share nothing else. */
export const folder = process.env.MUTATED_FOLDER ?? 'stores'
