// Measures the size of bundles.
import { gzipSync } from 'node:zlib'
import { builtEntry, ownDependency } from '../own.js'
import { benchFolder } from '../peers.js'
import { report } from '../result.js'

const { build } = await ownDependency('esbuild')

const exportOf = (/** @type {string} */ name, /** @type {string} */ entry) =>
  `export { ${name} } from ${JSON.stringify(builtEntry(entry).pathname)}`

/** @type {Record<string, string>} */
const own = {
  'verifyWebhook, …/webhooks': exportOf('verifyWebhook', 'webhooks'),
  'verifyWebhook, the root': exportOf('verifyWebhook', 'index'),
  verifyWebhookSignature: exportOf('verifyWebhookSignature', 'webhooks'),
  VerificationClient: exportOf('VerificationClient', 'index'),
}
/** @type {Record<string, number>} */
const budgets = {
  'verifyWebhook, …/webhooks': 9,
  'verifyWebhook, the root': 9,
  verifyWebhookSignature: 2.4,
}
const sources = {
  ...own,
  octokit: "export { verify } from '@octokit/webhooks-methods'",
  openai: "export { Webhooks } from 'openai/resources/webhooks/webhooks'",
  standardwebhooks: "export { Webhook } from 'standardwebhooks'",
  svix: "export { Webhook } from 'svix'",
  clerk: "export { verifyWebhook } from '@clerk/backend/webhooks'",
  stripe: "import Stripe from 'stripe'\nexport const { webhooks } = new Stripe('sk')",
  workos: "import { WorkOS } from '@workos-inc/node'\nexport const { webhooks } = new WorkOS('sk')",
}

/** @param {[name: string, source: string]} program */
async function bundled([name, source]) {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: benchFolder },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    // Dependencies, and what the first upload loads.
    external: ['undici', '#jose', '#form-frames'],
    write: false,
    logLevel: 'error',
  })
  const size = gzipSync(outputFiles[0].contents, { level: 9 }).length / 1024
  return { name, own: name in own, figures: { size }, limits: budgets[name] ? { size: budgets[name] } : {} }
}

report('size', [
  {
    title: 'Bundles',
    columns: { size: 'minified and compressed, KiB' },
    rows: await Promise.all(Object.entries(sources).map(bundled)),
  },
])
