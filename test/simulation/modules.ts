import { fileURLToPath } from 'node:url'
import { createViteServer } from 'vitest/node'
import shared from '../../vitest.config.ts'
import { mutation } from '../support/mutation.ts'
import type * as DayModule from './day.ts'
import type * as Explore from './explore.ts'
import type { Mutant } from './mutants.ts'
import type * as Protocols from './protocols.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The simulation and the source, loaded together. */
export interface Loaded {
  readonly explore: typeof Explore
  readonly protocols: (typeof Protocols)['protocols']
  readonly runDay: (typeof DayModule)['runDay']
  close(): Promise<void>
}

/** Loads the simulation, with a mutant of the source if one is passed. */
export async function load(mutant?: Mutant): Promise<Loaded> {
  const { plugins = [], define = {}, resolve = {} } = shared
  const server = await createViteServer({
    root,
    configFile: false,
    logLevel: 'error',
    appType: 'custom',
    server: { middlewareMode: true, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
    define,
    resolve,
    plugins: [...plugins, ...(mutant ? [mutation(mutant)] : [])],
  })
  const explore = (await server.ssrLoadModule('/test/simulation/explore.ts')) as typeof Explore
  const { protocols } = (await server.ssrLoadModule('/test/simulation/protocols.ts')) as typeof Protocols
  const { runDay } = (await server.ssrLoadModule('/test/simulation/day.ts')) as typeof DayModule
  return { explore, protocols, runDay, close: () => server.close() }
}
