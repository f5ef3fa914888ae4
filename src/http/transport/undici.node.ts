import { connectFailure } from './connection-advice.ts'
import { findEnvProxy, usesEnvProxy } from './env-proxy.ts'
import { tunnelConnector } from './tunnel.ts'

/**
 * What the transport over undici needs and no other runtime loads. undici itself is loaded with the first call of a
 * program, zlib with the first compressed response.
 */
export const modules:
  | {
      readonly undici: () => Promise<typeof import('undici')>
      readonly zlib: () => Promise<typeof import('node:zlib')>
      readonly usesEnvProxy: typeof usesEnvProxy
      readonly findEnvProxy: typeof findEnvProxy
      readonly tunnelConnector: typeof tunnelConnector
      readonly connectFailure: typeof connectFailure
    }
  | undefined = {
  // Not a file inside undici: a bundler would bundle it also if the package is external, and a path that bundlers do not
  // see would load code from outside of a bundle.
  undici() {
    keepOwnFetch()
    return import('undici')
  },
  zlib: () => import('node:zlib'),
  usesEnvProxy,
  findEnvProxy,
  tunnelConnector,
  connectFailure,
}

/**
 * Lets the `fetch` of Node 26 or newer create its dispatcher, with HTTP/2, before undici 7 is loaded. Otherwise undici
 * 7 sets its own for the whole process, and the application's requests are sent over HTTP/1.1 from then on.
 */
function keepOwnFetch(): void {
  if (Number.parseInt(process.versions.undici ?? '', 10) >= 8) void globalThis.Response
}
