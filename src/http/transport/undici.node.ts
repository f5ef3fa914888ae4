import type { Dispatcher } from 'undici'
import { poolAdvice } from './connection-advice.ts'
import { findEnvProxy } from './env-proxy.ts'
import { tunnelConnector } from './tunnel.ts'

/** The parts of undici that a call needs. */
export type Undici = Pick<typeof import('undici'), 'Client' | 'Pool' | 'buildConnector'>

/**
 * What the transport over undici needs and no other runtime loads. undici itself is loaded with the first call of a
 * program, zlib with the first compressed response.
 */
export const modules:
  | {
      readonly undici: () => Promise<Undici>
      readonly globalDispatcher: () => Promise<Dispatcher>
      readonly zlib: () => Promise<typeof import('node:zlib')>
      readonly findEnvProxy: typeof findEnvProxy
      readonly tunnelConnector: typeof tunnelConnector
      readonly advice: typeof poolAdvice
    }
  | undefined = {
  // The whole package takes three times as long to load, which is half of the first call of a process. And it may
  // replace the dispatcher of the process.
  async undici() {
    const [pool, client, connect] = await Promise.all([
      import('undici/lib/dispatcher/pool.js'),
      import('undici/lib/dispatcher/client.js'),
      import('undici/lib/core/connect.js'),
    ])
    return { Pool: pool.default, Client: client.default, buildConnector: connect.default }
  },
  async globalDispatcher() {
    keepOwnFetch()
    return (await import('undici')).getGlobalDispatcher()
  },
  zlib: () => import('node:zlib'),
  findEnvProxy,
  tunnelConnector,
  advice: poolAdvice,
}

/**
 * Lets the `fetch` of Node 26 or newer create its dispatcher, with HTTP/2, before undici 7 is loaded. Otherwise undici
 * 7 sets its own for the whole process, and the application's requests are sent over HTTP/1.1 from then on.
 */
function keepOwnFetch(): void {
  if (Number.parseInt(process.versions.undici ?? '', 10) >= 8) void globalThis.Response
}
