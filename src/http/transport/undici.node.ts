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
  // The whole package takes three times as long to load, which is half of the first call of a process. And it replaces
  // the dispatcher of the process by its own, so that the `fetch` of Node 26 loses HTTP/2.
  async undici() {
    const [pool, client, connect] = await Promise.all([
      import('undici/lib/dispatcher/pool.js'),
      import('undici/lib/dispatcher/client.js'),
      import('undici/lib/core/connect.js'),
    ])
    return { Pool: pool.default, Client: client.default, buildConnector: connect.default }
  },
  globalDispatcher: async () => (await import('undici')).getGlobalDispatcher(),
  zlib: () => import('node:zlib'),
  findEnvProxy,
  tunnelConnector,
  advice: poolAdvice,
}
