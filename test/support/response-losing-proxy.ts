import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** How a response is lost: the connection ends, or stays open and silent. */
type Loss = 'cut' | 'silence'

/** Forwards bytes to a server and back until the test ends. A test can make it lose responses. */
export async function responseLosingProxy(port: number) {
  let next: Loss | undefined
  const open = new Set<{ destroy(): void }>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    let silent = false
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', end).on('close', end)
    }
    client.on('data', (chunk) => upstream.write(chunk))
    upstream.on('data', (chunk) => {
      const loss = next
      next = undefined
      if (loss === 'cut') end()
      if (loss === 'silence') silent = true
      if (!silent && loss === undefined) client.write(chunk)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of open) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return {
    port: (server.address() as AddressInfo).port,
    /** Loses the next response. */
    loseResponse(how: Loss = 'cut') {
      next = how
    },
  }
}
