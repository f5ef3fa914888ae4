import { readFileSync } from 'node:fs'
import { ownDependency, root } from './own.js'

/**
 * Returns the certificate of the TLS tests. Each process generates a new one.
 *
 * @returns {Promise<{ key: string, cert: string }>}
 */
export async function selfSigned() {
  const { transformSync } = await ownDependency('esbuild')
  const source = readFileSync(new URL('test/support/self-signed.ts', root), 'utf8')
  const { code } = transformSync(source, { loader: 'ts', format: 'esm' })
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)).selfSigned
}
