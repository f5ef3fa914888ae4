let loaded: typeof import('node:crypto') | undefined

/**
 * Returns Node's own cryptography, which is synchronous, or `undefined` on a platform that has only Web Crypto. Loaded
 * when first needed, because most calls do not need it. An import of one module of Node costs 0.5 ms.
 */
export function nodeCrypto(): typeof import('node:crypto') | undefined {
  // The edge runtime of Next.js has the function too, and it throws there. It has no versions.
  loaded ??= globalThis.process?.versions && process.getBuiltinModule('node:crypto')
  return loaded
}
