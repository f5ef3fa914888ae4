import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

type Fault = 'cut' | 'silence'

/** Passes bytes to a server and back until the test ends, faithfully but for the faults that it is told to make. */
export async function answerLosingProxy(port: number) {
  let next: Fault | undefined
  const open = new Set<{ destroy(): void }>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    let silent = false
    const end = () => {
      near.destroy()
      far.destroy()
    }
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', end).on('close', end)
    }
    near.on('data', (chunk) => far.write(chunk))
    far.on('data', (chunk) => {
      const fault = next
      next = undefined
      if (fault === 'cut') end()
      if (fault === 'silence') silent = true
      if (!silent && fault === undefined) near.write(chunk)
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
    /** Loses the next answer: the connection ends in its place, or nothing comes any more. */
    lose(how: Fault = 'cut') {
      next = how
    },
  }
}
