// Measures the size of bundles and installations.
import { execFileSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { jobsOf } from '../harness/comparison.js'
import { installedBytes, packageOf } from '../harness/installed.js'
import { builtEntry, ownDependency, rootFolder } from '../harness/own.js'
import { benchFolder, pinnedPeers } from '../harness/peers.js'
import { writeResult } from '../harness/result.js'

const { build } = await ownDependency('esbuild')
const KiB = 1024
const MiB = KiB * KiB

/**
 * Returns the source of a bundle, given the folder of a checkout with its build.
 *
 * @typedef {(checkout: string) => string} Source
 */

/** @type {(name: string, entry: string) => Source} */
const exportOf = (name, entry) => (checkout) =>
  `export { ${name} } from ${JSON.stringify(builtEntry(entry, checkout).pathname)}`

/** @type {Record<string, Source>} */
const ownVerifications = {
  'verifyWebhook, …/webhooks': exportOf('verifyWebhook', 'webhooks'),
  'verifyWebhook, the root': exportOf('verifyWebhook', 'index'),
  verifyWebhookSignature: exportOf('verifyWebhookSignature', 'webhooks'),
}
/** @type {Record<string, Source>} */
const verifications = {
  ...ownVerifications,
  octokit: () => "export { verify } from '@octokit/webhooks-methods'",
  openai: () => "export { Webhooks } from 'openai/resources/webhooks/webhooks'",
  standardwebhooks: () => "export { Webhook } from 'standardwebhooks'",
  svix: () => "export { Webhook } from 'svix'",
  clerk: () => "export { verifyWebhook } from '@clerk/backend/webhooks'",
  stripe: () => "import Stripe from 'stripe'\nexport const { webhooks } = new Stripe('sk')",
  workos: () => "import { WorkOS } from '@workos-inc/node'\nexport const { webhooks } = new WorkOS('sk')",
}
const client = exportOf('VerificationClient', 'index')
/** @type {Record<string, (checkout: string) => Promise<number>>} */
const clients = {
  VerificationClient: (checkout) => compressed(client(checkout), [startOnly]),
}

/** Leaves out what is loaded by a dynamic import: the code of multipart forms, and modules of Node. */
const startOnly = {
  name: 'start-only',
  setup: (/** @type {import('esbuild').PluginBuild} */ { onResolve }) =>
    onResolve({ filter: /^/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    ),
}

/**
 * @param {string} source
 * @param {import('esbuild').Plugin[]} [plugins]
 */
async function compressed(source, plugins = []) {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: benchFolder },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    external: ['undici', 'jose'],
    plugins,
    write: false,
    logLevel: 'error',
  })
  return gzipSync(outputFiles[0].contents, { level: 9 }).length / KiB
}

/** @param {string} checkout */
function installedSizes(checkout) {
  const command = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const packed = JSON.parse(execFileSync('npm', command, { cwd: checkout, encoding: 'utf8' }))
  const alone = /** @type {{ unpackedSize: number }[]} */ (Object.values(packed))[0]?.unpackedSize ?? 0
  return { alone: alone / MiB, tree: (alone + installedBytes(checkout, { self: false })) / MiB }
}

/** @param {string} name */
function installedSizesOfPeer(name) {
  const folder = packageOf(name, benchFolder)
  const tree = installedBytes(folder)
  return { alone: (tree - installedBytes(folder, { self: false })) / MiB, tree: tree / MiB }
}

/**
 * Returns the rows of a group, with the figures of each.
 *
 * @param {readonly string[]} names
 * @param {readonly string[]} own the rows of this package
 * @param {(row: string, checkout: string) => Promise<Record<string, number>> | Record<string, number>} figuresOf
 */
async function rowsOf(names, own, figuresOf) {
  /** @type {import('../harness/result.js').ResultRow[]} */
  const rows = []
  for (const { name, row, checkout = rootFolder } of jobsOf(names, own))
    rows.push({ name, ...(own.includes(name) ? { own: true } : {}), figures: await figuresOf(row, checkout) })
  return rows
}

const sdk = 'identity-service-sdk'
const verificationRows = await rowsOf(
  Object.keys(verifications),
  Object.keys(ownVerifications),
  async (row, checkout) => ({ size: await compressed(verifications[row]?.(checkout) ?? '') }),
)
const clientRows = await rowsOf(Object.keys(clients), Object.keys(clients), async (row, checkout) => ({
  size: (await clients[row]?.(checkout)) ?? Number.NaN,
}))
const installedRows = await rowsOf([sdk, ...Object.keys(pinnedPeers())], [sdk], (row, checkout) =>
  row === sdk ? installedSizes(checkout) : installedSizesOfPeer(row),
)

/**
 * @param {string} name
 * @param {string} [figure]
 */
function measured(name, figure = 'size') {
  const row = [...verificationRows, ...clientRows, ...installedRows].find((one) => one.name === name)
  return Number(row?.figures[figure])
}

const size = [{ key: 'size', label: 'minified and compressed', unit: 'KiB' }]

writeResult('size', {
  title: 'Sizes',
  what: 'Size of a bundle that verifies a webhook, built with esbuild, minified and compressed; and size of an installation.',
  groups: [
    { title: 'Webhook verification', columns: size, bars: 'size', rows: verificationRows },
    { title: 'A client, without its dependencies', columns: size, bars: 'size', rows: clientRows },
    {
      title: 'Installed',
      columns: [
        { key: 'tree', label: 'with dependencies', unit: 'MiB' },
        { key: 'alone', label: 'package only', unit: 'MiB' },
      ],
      bars: 'tree',
      rows: installedRows,
    },
  ],
  targets: [
    {
      what: 'verifyWebhook from …/webhooks',
      most: 9,
      measured: measured('verifyWebhook, …/webhooks'),
      unit: 'KiB',
    },
    {
      what: 'verifyWebhook from the root',
      most: 9,
      measured: measured('verifyWebhook, the root'),
      unit: 'KiB',
    },
    { what: 'verifyWebhookSignature', most: 1.5, measured: measured('verifyWebhookSignature'), unit: 'KiB' },
    {
      what: 'VerificationClient',
      most: 46,
      measured: measured('VerificationClient'),
      unit: 'KiB',
    },
    { what: 'the package on disk', most: 3, measured: measured(sdk, 'alone'), unit: 'MiB' },
    {
      what: 'the package on disk with its dependencies',
      most: 8,
      measured: measured(sdk, 'tree'),
      unit: 'MiB',
    },
  ],
  peers: Object.keys(pinnedPeers()),
})
