// Measures the size of bundles.
import { bundleBudgets, bundleOf, compressedSize } from '../../.ci/budgets.mjs'
import { ownDependency, rootFolder } from '../own.js'
import { benchFolder } from '../peers.js'
import { report } from '../result.js'

const { build } = await ownDependency('esbuild')
const kib = (/** @type {string} */ bundle) => compressedSize(bundle) / 1024

const own = await Promise.all(
  bundleBudgets.map(async ([name, script, bytes]) => ({
    name: `${name}, ${script === 'index' ? 'the root' : `…/${script}`}`,
    own: true,
    figures: { size: kib(await bundleOf(rootFolder, name, script)) },
    limits: { size: bytes / 1024 },
  })),
)

const others = {
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
    write: false,
    logLevel: 'error',
  })
  return { name, figures: { size: kib(outputFiles[0].text) } }
}

report('size', [
  {
    title: 'Bundles',
    columns: { size: 'minified and compressed, KiB' },
    rows: [...own, ...(await Promise.all(Object.entries(others).map(bundled)))],
  },
])
