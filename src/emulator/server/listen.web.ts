import { ConfigurationError } from '../../errors/sdk-error.ts'
import type { EmulatorServer, ListenOptions } from './listen.node.ts'

/** Always throws, because a server needs `node:http`. */
export async function listen(_handle: unknown, _options: ListenOptions): Promise<EmulatorServer> {
  throw new ConfigurationError({
    message: 'listen() needs Node, Bun or Deno. On this runtime, pass requests to emulator.fetch()',
  })
}
