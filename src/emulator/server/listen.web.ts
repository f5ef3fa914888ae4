import { ConfigurationError } from '../../errors/sdk-error.ts'
import type { EmulatorServer, ListenOptions } from './listen.node.ts'

/** Where there is no `node:http`, nothing can listen. */
export async function listen(_handle: unknown, _options: ListenOptions): Promise<EmulatorServer> {
  throw new ConfigurationError('listen needs Node, Bun or Deno: hand requests to emulator.fetch instead')
}
