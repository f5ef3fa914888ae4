import { fork } from 'node:child_process'
import { once } from 'node:events'

/**
 * Starts a server in a process of its own, so that its work is not counted.
 *
 * @param {string} name of a file in `servers`
 * @param {...string} settings
 */
export async function startServer(name, ...settings) {
  const server = fork(new URL(`../servers/${name}.js`, import.meta.url), settings, { execArgv: [] })
  const [port] = /** @type {[number]} */ (await once(server, 'message'))
  return { port, origin: `http://127.0.0.1:${port}`, stop: () => server.kill() }
}
