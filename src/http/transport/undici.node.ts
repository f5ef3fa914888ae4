import { poolAdvice } from './connection-advice.ts'
import { findEnvProxy } from './env-proxy.ts'
import { tunnelConnector } from './tunnel.ts'

/**
 * What the transport over undici needs and no other runtime loads. undici itself is loaded with the first call of a
 * program, zlib with the first compressed response.
 */
export const modules:
  | {
      readonly undici: () => Promise<typeof import('undici')>
      readonly zlib: () => Promise<typeof import('node:zlib')>
      readonly findEnvProxy: typeof findEnvProxy
      readonly tunnelConnector: typeof tunnelConnector
      readonly advice: typeof poolAdvice
    }
  | undefined = {
  undici: () => import('undici'),
  zlib: () => import('node:zlib'),
  findEnvProxy,
  tunnelConnector,
  advice: poolAdvice,
}
