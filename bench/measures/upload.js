// Measures an upload of 19 MiB, compared with a file that is streamed without a client. Each row has its own processes.
import { execFile } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { byMode } from '../harness/arguments.js'
import { writeResult } from '../harness/result.js'
import { startServer } from '../harness/server.js'
import { spreadOf } from '../harness/spread.js'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../programs/uploads.js', import.meta.url))
const raw = 'undici.request of a stream'
const rawFetch = 'fetch of a stream'
/** @type {Record<string, string>} */
const ways = {
  [raw]: 'raw',
  [`${raw} (control)`]: 'raw',
  imageFromFile: 'own',
  'form-data, unmodified': 'formData',
  [rawFetch]: 'fetchStream',
  'imageFromFile over fetch': 'ownOverFetch',
  'fetch + FormData': 'fetchForm',
  'openai files.create': 'openai',
}

const folder = mkdtempSync(join(tmpdir(), 'upload-'))
const file = join(folder, 'image.jpg')
const image = randomFillSync(Buffer.alloc(19 * 2 ** 20))
image.set([0xff, 0xd8, 0xff])
writeFileSync(file, image)
const server = await startServer('upload')

/** @typedef {{ cpu: number, peak: number, highest: number, blocked: number, ratio: number, ratioToFetch: number }} Cost */
/** @type {Map<string, Cost[]>} */
const costs = new Map(Object.keys(ways).map((name) => [name, []]))
for (let round = 0; round < byMode(7, 21); round++) {
  const names = Object.keys(ways)
  /** @type {Map<string, Omit<Cost, 'ratio' | 'ratioToFetch'>>} */
  const found = new Map()
  // The order alternates, so that no row always runs after the same other row.
  for (const name of round % 2 === 0 ? names : names.reverse()) {
    const { stdout } = await run(process.execPath, [
      '--expose-gc',
      '--no-warnings',
      program,
      String(ways[name]),
      server.origin,
      file,
      '3',
    ])
    found.set(name, JSON.parse(stdout))
  }
  const [bare = Number.NaN, fetched = Number.NaN] = [raw, rawFetch].map((name) => found.get(name)?.cpu)
  for (const [name, cost] of found) {
    costs.get(name)?.push({ ...cost, ratio: cost.cpu / bare, ratioToFetch: cost.cpu / fetched })
  }
}
server.stop()
rmSync(folder, { recursive: true })

/**
 * @param {string} name
 * @param {keyof Cost} key
 */
const spread = (name, key) => spreadOf((costs.get(name) ?? []).map((cost) => cost[key]))
/**
 * @param {string} name
 * @param {keyof Cost} key
 */
const middle = (name, key) => spread(name, key).median

writeResult('upload', {
  title: 'Upload of 19 MiB from a file',
  what: 'CPU, peak memory and event loop delay of an upload of 19 MiB to a local server, compared with a file that is streamed without a client in reads of 256 KiB.',
  groups: [
    {
      title: '19 MiB',
      columns: [
        { key: 'cpu', label: 'CPU', unit: 'ms' },
        { key: 'ratio', label: `CPU as a multiple of ${raw}`, unit: '' },
        { key: 'peak', label: 'memory above baseline', unit: 'MiB' },
        { key: 'highest', label: 'peak memory of the process', unit: 'MiB' },
        { key: 'blocked', label: 'longest delay of the event loop', unit: 'ms' },
      ],
      bars: 'ratio',
      rows: Object.keys(ways).map((name) => ({
        name,
        ...(name.startsWith('imageFromFile') ? { own: true } : {}),
        figures: {
          cpu: spread(name, 'cpu'),
          ratio: spread(name, 'ratio'),
          peak: spread(name, 'peak'),
          highest: spread(name, 'highest'),
          blocked: spread(name, 'blocked'),
        },
      })),
    },
  ],
  targets: [
    {
      what: 'imageFromFile: CPU against undici.request of a stream',
      most: 1,
      measured: middle('imageFromFile', 'ratio'),
      unit: 'x',
    },
    {
      what: 'imageFromFile: peak memory above undici.request of a stream',
      most: 8,
      measured: middle('imageFromFile', 'highest') - middle(raw, 'highest'),
      unit: 'MiB',
    },
    {
      what: 'imageFromFile: longest delay of the event loop',
      most: 20,
      measured: middle('imageFromFile', 'blocked'),
      unit: 'ms',
    },
    {
      what: 'imageFromFile over fetch: CPU against fetch of a stream',
      most: 1.1,
      measured: middle('imageFromFile over fetch', 'ratioToFetch'),
      unit: 'x',
    },
  ],
  peers: ['openai'],
})
