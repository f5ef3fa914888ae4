import { createRequire } from 'node:module'
import { connectFailure } from './connection-advice.ts'
import { findEnvProxy } from './env-proxy.ts'
import { tunnelConnector } from './tunnel.ts'

/**
 * What the transport over undici needs and no other runtime loads. undici itself is loaded with the first call of a
 * program, zlib with the first compressed response.
 */
export const modules:
  | {
      readonly pool: () => Promise<typeof import('undici').Pool>
      readonly undici: () => Promise<typeof import('undici')>
      readonly zlib: () => Promise<typeof import('node:zlib')>
      readonly findEnvProxy: typeof findEnvProxy
      readonly tunnelConnector: typeof tunnelConnector
      readonly connectFailure: typeof connectFailure
    }
  | undefined = {
  async pool() {
    return installedPool() ?? (await loadUndici()).Pool
  },
  undici: loadUndici,
  zlib: () => import('node:zlib'),
  findEnvProxy,
  tunnelConnector,
  connectFailure,
}

/**
 * Returns the pool of the installed undici. It needs a third of the package, which takes a third of the time. A bundler
 * must not see the name of a file: it would bundle that file also if the package is external, and such a program hangs.
 * `undefined` in a program that has no undici next to it, or another one than it was built with.
 */
function installedPool(): typeof import('undici').Pool | undefined {
  try {
    const load = createRequire(import.meta.url)
    const { version } = load('undici/package.json') as { readonly version: string }
    return version.startsWith('7.') ? load('undici/lib/dispatcher/pool.js') : undefined
  } catch {
    return undefined
  }
}

function loadUndici(): Promise<typeof import('undici')> {
  keepOwnFetch()
  return import('undici')
}

/**
 * Lets the `fetch` of Node 26 or newer create its dispatcher, with HTTP/2, before undici 7 is loaded. Otherwise undici
 * 7 sets its own for the whole process, and the application's requests are sent over HTTP/1.1 from then on.
 */
function keepOwnFetch(): void {
  if (Number.parseInt(process.versions.undici ?? '', 10) >= 8) void globalThis.Response
}
