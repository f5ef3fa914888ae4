// Measures the size of bundles and installations.
import { execFileSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { installedBytes, packageOf } from '../harness/installed.js'
import { builtEntry, ownDependency, rootFolder } from '../harness/own.js'
import { benchFolder, pinnedPeers } from '../harness/peers.js'
import { writeResult } from '../harness/result.js'

const { build } = await ownDependency('esbuild')
const KiB = 1024
const MiB = KiB * KiB
const own = (/** @type {string} */ entry) => JSON.stringify(builtEntry(entry).pathname)

/** @type {Record<string, { source: string, own?: boolean, external?: string[] }>} */
const bundles = {
  'verifyWebhook, …/webhooks': { source: `export { verifyWebhook } from ${own('webhooks')}`, own: true },
  'verifyWebhook, the root': { source: `export { verifyWebhook } from ${own('index')}`, own: true },
  verifyWebhookSignature: { source: `export { verifyWebhookSignature } from ${own('webhooks')}`, own: true },
  octokit: { source: "export { verify } from '@octokit/webhooks-methods'" },
  openai: { source: "export { Webhooks } from 'openai/resources/webhooks/webhooks'" },
  standardwebhooks: { source: "export { Webhook } from 'standardwebhooks'" },
  svix: { source: "export { Webhook } from 'svix'" },
  clerk: { source: "export { verifyWebhook } from '@clerk/backend/webhooks'" },
  stripe: { source: "import Stripe from 'stripe'\nexport const { webhooks } = new Stripe('sk')" },
  workos: {
    source: "import { WorkOS } from '@workos-inc/node'\nexport const { webhooks } = new WorkOS('sk')",
  },
}
const external = ['undici', 'jose', 'form-data']
const client = { source: `export { VerificationClient } from ${own('index')}`, external }

/** Leaves out everything that is loaded by a dynamic import. */
const startOnly = {
  name: 'start-only',
  setup: (/** @type {import('esbuild').PluginBuild} */ { onResolve }) =>
    onResolve({ filter: /^/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    ),
}

/**
 * @param {{ source: string, external?: string[] }} bundle
 * @param {import('esbuild').Plugin[]} [plugins]
 */
async function compressed({ source, external = [] }, plugins = []) {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: benchFolder },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    external,
    plugins,
    write: false,
    logLevel: 'error',
  })
  return gzipSync(outputFiles[0].contents, { level: 9 }).length / KiB
}

/** @type {Map<string, number>} */
const sizes = new Map()
for (const [name, bundle] of Object.entries(bundles)) sizes.set(name, await compressed(bundle))
const clientSizes = { atStart: await compressed(client, [startOnly]), whole: await compressed(client) }
const sizeOf = (/** @type {string} */ name) => sizes.get(name) ?? Number.NaN

const packed = JSON.parse(
  execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: rootFolder,
    encoding: 'utf8',
  }),
)
const unpackedSize = /** @type {{ unpackedSize: number }[]} */ (Object.values(packed))[0]?.unpackedSize ?? 0
/** @type {Map<string, { alone: number, tree: number }>} */
const installed = new Map()
installed.set('identity-service-sdk', {
  alone: unpackedSize / MiB,
  tree: (unpackedSize + installedBytes(rootFolder, { self: false })) / MiB,
})
for (const name of Object.keys(pinnedPeers())) {
  const folder = packageOf(name, benchFolder)
  installed.set(name, {
    alone: (installedBytes(folder) - installedBytes(folder, { self: false })) / MiB,
    tree: installedBytes(folder) / MiB,
  })
}
const ours = installed.get('identity-service-sdk') ?? { alone: Number.NaN, tree: Number.NaN }
const size = [{ key: 'size', label: 'minified and compressed', unit: 'KiB' }]

writeResult('size', {
  title: 'Sizes',
  what: 'Size of a bundle that verifies a webhook, built with esbuild, minified and compressed; and size of an installation.',
  groups: [
    {
      title: 'Webhook verification',
      columns: size,
      bars: 'size',
      rows: [...sizes].map(([name, kib]) => ({
        name,
        ...(bundles[name]?.own ? { own: true } : {}),
        figures: { size: kib },
      })),
    },
    {
      title: 'A client, without its dependencies',
      columns: size,
      bars: 'size',
      rows: [
        {
          name: 'VerificationClient, without lazy chunks',
          own: true,
          figures: { size: clientSizes.atStart },
        },
        { name: 'VerificationClient, with lazy chunks', own: true, figures: { size: clientSizes.whole } },
      ],
    },
    {
      title: 'Installed',
      columns: [
        { key: 'tree', label: 'with dependencies', unit: 'MiB' },
        { key: 'alone', label: 'package only', unit: 'MiB' },
      ],
      bars: 'tree',
      rows: [...installed].map(([name, figures]) => ({
        name,
        ...(name === 'identity-service-sdk' ? { own: true } : {}),
        figures,
      })),
    },
  ],
  targets: [
    {
      what: 'verifyWebhook from …/webhooks',
      most: 9,
      measured: sizeOf('verifyWebhook, …/webhooks'),
      unit: 'KiB',
    },
    {
      what: 'verifyWebhook from the root',
      most: 9,
      measured: sizeOf('verifyWebhook, the root'),
      unit: 'KiB',
    },
    { what: 'verifyWebhookSignature', most: 1.2, measured: sizeOf('verifyWebhookSignature'), unit: 'KiB' },
    { what: 'VerificationClient, without lazy chunks', most: 20, measured: clientSizes.atStart, unit: 'KiB' },
    { what: 'the package on disk', most: 1.5, measured: ours.alone, unit: 'MiB' },
    { what: 'the package on disk with its dependencies', most: 6, measured: ours.tree, unit: 'MiB' },
  ],
  peers: [
    '@octokit/webhooks-methods',
    'openai',
    'standardwebhooks',
    'svix',
    '@clerk/backend',
    'stripe',
    '@workos-inc/node',
    ...Object.keys(pinnedPeers()),
  ],
})
