/**
 * Listens on a free port and sends the port to the parent process.
 *
 * @param {import('node:net').Server} server
 */
export function listenForParent(server) {
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
    process.send?.(/** @type {import('node:net').AddressInfo} */ (server.address()).port)
  })
  process.on('disconnect', () => process.exit())
}
