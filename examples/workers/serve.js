// The Worker on this machine, as `wrangler dev` runs it: bundled, on workerd.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const { PORT = '3000', PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env
const cwd = fileURLToPath(new URL('.', import.meta.url))

await build({
  absWorkingDir: cwd,
  entryPoints: ['worker.js'],
  outfile: 'dist/worker.js',
  bundle: true,
  format: 'esm',
  target: 'es2022',
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*', 'node:*'],
  // What the repository around it says of the package is not for its users.
  tsconfigRaw: {},
})
const workerd = spawn(
  'node_modules/.bin/workerd',
  ['serve', 'config.capnp', `--socket-addr=http=127.0.0.1:${PORT}`, '--control-fd=3'],
  { cwd, env: { ...process.env, PUBLIC_URL }, stdio: ['ignore', 'inherit', 'inherit', 'pipe'] },
)
// It says so on a channel of its own.
workerd.stdio[3].once('data', () => console.log(`listening on ${PUBLIC_URL}`))

// A terminal sends Ctrl-C to workerd as well.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => workerd.kill())
const [code, signal] = await once(workerd, 'exit')
process.exitCode = signal ? 0 : code
