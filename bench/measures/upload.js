// Measures an upload of 19 MiB, compared with a file that is streamed without a client. Each upload has its own process,
// because the peak memory of a process never falls.
import { execFile } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from '../cpu.js'
import { byMode, isChecking } from '../mode.js'
import { report } from '../result.js'
import { startServer } from '../servers/start.js'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../programs/uploads.js', import.meta.url))
const raw = 'undici.request of a stream'
/** @type {Record<string, string>} */
const ways = {
  [raw]: 'raw',
  [`${raw} (control)`]: 'raw',
  imageFromFile: 'own',
  'form-data, unmodified': 'formData',
  'fetch of a stream': 'fetchStream',
  'imageFromFile over fetch': 'ownOverFetch',
  'fetch + FormData': 'fetchForm',
  'openai files.create': 'openai',
}
const names = Object.keys(ways).filter((name) => !isChecking || name === raw || ways[name]?.startsWith('own'))

const folder = mkdtempSync(join(tmpdir(), 'upload-'))
const file = join(folder, 'image.jpg')
const image = randomFillSync(Buffer.alloc(19 * 2 ** 20))
image.set([0xff, 0xd8, 0xff])
writeFileSync(file, image)
const server = await startServer('upload')

/** @typedef {{ cpu: number, memory: number }} Cost */

/** @type {Record<string, Cost>[]} */
const rounds = []
for (let round = 0; round < byMode(1, 7, 21); round++) {
  /** @type {Record<string, Cost>} */
  const costs = {}
  for (const name of names) {
    const { stdout } = await run(process.execPath, [
      '--expose-gc',
      program,
      String(ways[name]),
      server.origin,
      file,
      '3',
    ])
    costs[name] = JSON.parse(stdout)
  }
  rounds.push(costs)
}
server.stop()
rmSync(folder, { recursive: true })

const middle = (/** @type {string} */ name, /** @type {(cost: Cost, base: Cost) => number} */ figure) =>
  median(rounds.map((costs) => figure(/** @type {Cost} */ (costs[name]), /** @type {Cost} */ (costs[raw]))))

report('upload', [
  {
    title: '19 MiB',
    columns: {
      cpu: 'CPU, ms',
      ratio: `times ${raw}`,
      memory: 'peak memory of the process, MiB',
      above: `more than ${raw}, MiB`,
    },
    rows: names.map((name) => ({
      name,
      own: name.startsWith('imageFromFile'),
      figures: {
        cpu: middle(name, ({ cpu }) => cpu),
        ratio: middle(name, ({ cpu }, base) => cpu / base.cpu),
        memory: middle(name, ({ memory }) => memory),
        above: middle(name, ({ memory }, base) => memory - base.memory),
      },
      limits: name === 'imageFromFile' ? { ratio: 1, above: 8 } : {},
    })),
  },
])
