// Measures thousands of concurrent lookups: memory, sockets, CPU, and whether all succeed.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { byMode } from '../mode.js'
import { report } from '../result.js'
import { selfSigned } from '../self-signed.js'
import { startServer } from '../servers/start.js'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../programs/pending.js', import.meta.url))
const many = byMode(20, 5_000, 5_000)
const delayMs = byMode(500, 3_000, 10_000)
/** @type {Record<string, { way: string, tls?: boolean }>} */
const ways = {
  'undici.request, HTTP/1.1': { way: 'raw' },
  'undici.request, HTTP/1.1 (control)': { way: 'raw' },
  'checks.credential, HTTP/1.1': { way: 'own' },
  'checks.credential, connections: 1000': { way: 'ownBounded' },
  'checks.credential over fetch': { way: 'fetch' },
  'checks.credential, http2, connections: 1000': { way: 'ownHttp2', tls: true },
  'workflows.list, http2, connections: 1000': { way: 'ownHttp2Reads', tls: true },
}

const folder = mkdtempSync(join(tmpdir(), 'many-'))
const { key, cert } = await selfSigned()
const files = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
for (const [i, content] of [key, cert].entries()) writeFileSync(String(files[i]), content)
const env = { ...process.env, NODE_EXTRA_CA_CERTS: files[1] }

/** @type {import('../table.js').Row[]} */
const rows = []
for (const [name, { way, tls }] of Object.entries(ways)) {
  const server = await startServer('late', String(delayMs), ...(tls ? files : []))
  const origin = tls ? `https://localhost:${server.port}` : server.origin
  const args = ['--expose-gc', '--no-warnings', program, way, origin, String(many)]
  const { stdout } = await run(process.execPath, args, { env })
  server.stop()
  const own = !name.startsWith('undici')
  rows.push({ name, own, figures: JSON.parse(stdout), limits: own ? { failed: 0 } : {} })
}
rmSync(folder, { recursive: true })

report('many', [
  {
    title: `${many} lookups at once, responses after ${delayMs / 1000} s`,
    columns: {
      heap: 'JavaScript memory per pending call, KiB',
      rss: 'process memory per pending call, KiB',
      sockets: 'sockets',
      waiting: 'most waiting at the server',
      cpu: 'CPU per call, µs',
      seconds: 'time until all settled, s',
      succeeded: 'succeeded',
      failed: 'failed',
    },
    rows,
  },
])
