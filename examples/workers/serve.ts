// Runs the Worker locally on workerd, like `wrangler dev`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const { PORT = '3000', PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env
const cwd = fileURLToPath(new URL('.', import.meta.url))

await build({
  absWorkingDir: cwd,
  entryPoints: ['worker.ts'],
  outfile: 'dist/worker.js',
  bundle: true,
  format: 'esm',
  target: 'es2022',
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*', 'node:*'],
})
const values = await mkdtemp(join(tmpdir(), 'workers-example-'))
const workerd = spawn(
  'node_modules/.bin/workerd',
  [
    'serve',
    'config.capnp',
    `--socket-addr=http=127.0.0.1:${PORT}`,
    `--directory-path=values=${values}`,
    '--control-fd=3',
  ],
  { cwd, env: { ...process.env, PUBLIC_URL }, stdio: ['ignore', 'inherit', 'inherit', 'pipe'] },
)
// workerd reports on a separate channel that it listens.
workerd.stdio[3]?.once('data', () => console.log(`listening on ${PUBLIC_URL}`))

// A terminal sends Ctrl-C to workerd too.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => workerd.kill())
const [code, signal] = await once(workerd, 'exit')
await rm(values, { recursive: true })
process.exitCode = signal ? 0 : code
