// Measures thousands of concurrent lookups: memory, sockets, CPU, and whether all succeed.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { byMode } from '../harness/arguments.js'
import { writeResult } from '../harness/result.js'
import { selfSigned } from '../harness/self-signed.js'
import { startServer } from '../harness/server.js'
import { rounded, spreadOf } from '../harness/spread.js'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../programs/pending.js', import.meta.url))
const many = 5_000
const delaySeconds = byMode(3, 10)
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
const names = Object.keys(ways)
const keys = /** @type {const} */ ([
  'succeeded',
  'failed',
  'waiting',
  'sockets',
  'heap',
  'rss',
  'cpu',
  'seconds',
])

const folder = mkdtempSync(join(tmpdir(), 'many-'))
const { key, cert } = await selfSigned()
writeFileSync(join(folder, 'key.pem'), key)
writeFileSync(join(folder, 'cert.pem'), cert)

/** @type {Map<string, Record<typeof keys[number], number>[]>} */
const found = new Map(names.map((name) => [name, []]))
for (let round = 0; round < byMode(1, 3); round++) {
  for (const name of names) {
    const { way, tls } = /** @type {{ way: string, tls?: boolean }} */ (ways[name])
    const certificate = tls ? [join(folder, 'key.pem'), join(folder, 'cert.pem')] : []
    const server = await startServer('late', String(delaySeconds * 1000), ...certificate)
    const origin = tls ? `https://localhost:${server.port}` : server.origin
    const { stdout } = await run(
      process.execPath,
      ['--expose-gc', '--no-warnings', program, way, origin, String(many)],
      {
        env: { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem') },
      },
    )
    found.get(name)?.push(JSON.parse(stdout))
    server.stop()
  }
}
rmSync(folder, { recursive: true })

/**
 * @param {string} name
 * @param {typeof keys[number]} measure
 */
const spread = (name, measure) => spreadOf((found.get(name) ?? []).map((figures) => figures[measure]))
const failures = names
  .filter((name) => !name.startsWith('undici'))
  .map((name) => spread(name, 'failed').median)

writeResult('many', {
  title: `${many} lookups in flight, responses after ${delaySeconds} s`,
  what: `Memory of the calling process for each of ${many} lookups while they wait.`,
  groups: [
    {
      title: `${many} lookups at once`,
      columns: [
        { key: 'heap', label: 'JavaScript memory per pending call', unit: 'KiB' },
        { key: 'rss', label: 'process memory per pending call', unit: 'KiB' },
        { key: 'sockets', label: 'sockets', unit: '' },
        { key: 'waiting', label: 'most waiting at the server', unit: '' },
        { key: 'cpu', label: 'CPU per call', unit: 'µs' },
        { key: 'seconds', label: 'time until all settled', unit: 's' },
        { key: 'succeeded', label: 'succeeded', unit: '' },
        { key: 'failed', label: 'failed', unit: '' },
      ],
      bars: 'heap',
      rows: names.map((name) => ({
        name,
        ...(name.startsWith('undici') ? {} : { own: true }),
        figures: Object.fromEntries(keys.map((measure) => [measure, spread(name, measure)])),
      })),
    },
  ],
  targets: [
    {
      what: `failed lookups of ${many} at once, worst row`,
      most: 0,
      measured: rounded(Math.max(...failures)),
      unit: '',
    },
  ],
})
