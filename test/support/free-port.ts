import { createServer } from 'node:net'

const given = new Set<number>()

/** Returns a port of the loopback address that was free a moment ago, and another one at each call. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  if (given.has(address.port)) return freePort()
  given.add(address.port)
  return address.port
}
