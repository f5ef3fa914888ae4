import { fork } from 'node:child_process'
import { once } from 'node:events'

/**
 * Starts a server in a separate process, so that its CPU is not counted.
 *
 * @param {string} name the name of a file in this folder
 * @param {...string} settings
 */
export async function startServer(name, ...settings) {
  const server = fork(new URL(`${name}.js`, import.meta.url), settings, { execArgv: [] })
  const [port] = /** @type {[number]} */ (await once(server, 'message'))
  return { port, origin: `http://127.0.0.1:${port}`, stop: () => server.kill() }
}
