// The largest sizes that tests accept, and how the sizes are measured.
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const KiB = 1024

/** Of the files in the tarball, in bytes. */
export const unpackedBudget = 3590 * KiB

/** Of a program that uses one name of a script, minified and compressed, in bytes. */
export const bundleBudgets = /** @type {const} */ ([
  ['verifyWebhook', 'webhooks', 9.85 * KiB],
  ['verifyWebhook', 'index', 9.85 * KiB],
  // A tenth of it says what is wrong with a body or a clock.
  ['verifyWebhookSignature', 'webhooks', 3.5 * KiB],
  ['verifyWebhookSignature', 'index', 3.5 * KiB],
  ['VerificationClient', 'index', 43.75 * KiB],
  ['OrgClient', 'index', 45.75 * KiB],
])

/** What a bundle imports: dependencies, and modules that the platform selects. */
export const external = ['undici', '#jose', '#undici', '#form-frames', '#node-http']

/**
 * Bundles a program that uses one name of a script, in one file, so that what is loaded later counts too.
 *
 * @param {string} folder the package
 * @param {string} name
 * @param {string} script
 */
export async function bundleOf(folder, name, script) {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${name} } from './${script}.js'`, resolveDir: join(folder, 'dist') },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    external,
    write: false,
    logLevel: 'silent',
  })
  return outputFiles.map(({ text }) => text).join('')
}

/** @param {string} bundle */
export const compressedSize = (bundle) => gzipSync(bundle, { level: 9 }).length
