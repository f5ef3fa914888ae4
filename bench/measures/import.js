// What importing costs: a process that imports an entry beside one that imports an empty module.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { byMode } from '../harness/arguments.js'
import { builtEntry } from '../harness/own.js'
import { pinnedPeers } from '../harness/peers.js'
import { writeResult } from '../harness/result.js'
import { spreadOf } from '../harness/spread.js'

const program = fileURLToPath(new URL('../programs/importing.js', import.meta.url))
const nothing = new URL('../programs/empty.js', import.meta.url).href
const entries = {
  'the root': 'index',
  '…/webhooks': 'webhooks',
  '…/verification': 'verification',
  '…/oidc': 'oidc',
}
const peers = Object.keys(pinnedPeers()).filter((name) => name !== '@clerk/backend')
/** @type {Record<string, string>} */
const modules = {
  'nothing again': nothing,
  ...Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, builtEntry(entry).href])),
  ...Object.fromEntries(peers.map((name) => [name, import.meta.resolve(name)])),
}

/** @param {string} url */
function cost(url) {
  /** @type {{ wall: number, cpu: number }} */
  const figures = JSON.parse(execFileSync(process.execPath, [program, url], { encoding: 'utf8' }))
  return figures
}

/** @type {Map<string, { wall: number[], cpu: number[] }>} */
const costs = new Map(Object.keys(modules).map((name) => [name, { wall: [], cpu: [] }]))
const rounds = byMode(7, 41)
// The first round only brings the files into memory.
for (let round = -1; round < rounds; round++) {
  /** @type {(typeof process.argv)[number][]} */
  const names = Object.keys(modules)
  const empty = cost(nothing)
  for (const name of round % 2 === 0 ? names : names.reverse()) {
    const { wall, cpu } = cost(String(modules[name]))
    if (round < 0) continue
    costs.get(name)?.wall.push(wall - empty.wall)
    costs.get(name)?.cpu.push(cpu - empty.cpu)
  }
}

/** @param {string} name */
const wallOf = (name) => spreadOf(costs.get(name)?.wall ?? []).median

writeResult('import', {
  title: 'Time to import',
  what: 'Time that a process takes to import an entry, beyond one that imports an empty module.',
  groups: [
    {
      title: 'Import, over an empty process',
      columns: [
        { key: 'wall', label: 'time', unit: 'ms' },
        { key: 'cpu', label: 'CPU', unit: 'ms' },
      ],
      bars: 'wall',
      rows: [...costs].map(([name, { wall, cpu }]) => ({
        name,
        ...(Object.hasOwn(entries, name) ? { own: true } : {}),
        figures: { wall: spreadOf(wall), cpu: spreadOf(cpu) },
      })),
    },
  ],
  targets: [
    { what: 'import of the root', most: 12, measured: wallOf('the root'), unit: 'ms' },
    { what: 'import of …/webhooks', most: 8, measured: wallOf('…/webhooks'), unit: 'ms' },
  ],
  peers,
})
