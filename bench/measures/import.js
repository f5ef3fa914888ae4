// Measures imports: a process that imports an entry, compared with one that imports an empty module.
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
  'empty module (control)': nothing,
  ...Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, builtEntry(entry).href])),
  ...Object.fromEntries(peers.map((name) => [name, import.meta.resolve(name)])),
}

/**
 * Returns the minimum of five starts, because other load only adds, and adds more than most imports take.
 *
 * @param {string} url
 */
function cost(url) {
  /** @type {{ wall: number, cpu: number }[]} */
  const figures = Array.from({ length: 5 }, () =>
    JSON.parse(execFileSync(process.execPath, [program, url], { encoding: 'utf8' })),
  )
  return {
    wall: Math.min(...figures.map(({ wall }) => wall)),
    cpu: Math.min(...figures.map(({ cpu }) => cpu)),
  }
}

/** @type {Map<string, { wall: number[], cpu: number[] }>} */
const costs = new Map(Object.keys(modules).map((name) => [name, { wall: [], cpu: [] }]))
const rounds = byMode(11, 25)
// Other packages are measured less often, because they are slow and their figures are far apart.
const isDue = (/** @type {string} */ name, /** @type {number} */ round) =>
  !peers.includes(name) || round % 3 === 0
for (const url of Object.values(modules)) cost(url)
for (let round = 0; round < rounds; round++) {
  const names = Object.keys(modules).filter((name) => isDue(name, round))
  for (const name of round % 2 === 0 ? names : names.reverse()) {
    const empty = cost(nothing)
    const { wall, cpu } = cost(String(modules[name]))
    costs.get(name)?.wall.push(wall - empty.wall)
    costs.get(name)?.cpu.push(cpu - empty.cpu)
  }
}

/** @param {string} name */
const cpuOf = (name) => spreadOf(costs.get(name)?.cpu ?? []).median

writeResult('import', {
  title: 'CPU of an import',
  what: 'CPU that a process uses to import an entry, minus the CPU of a process that imports an empty module.',
  groups: [
    {
      title: 'Import, compared with an empty process',
      columns: [
        { key: 'wall', label: 'time', unit: 'ms' },
        { key: 'cpu', label: 'CPU', unit: 'ms' },
      ],
      bars: 'cpu',
      rows: [...costs].map(([name, { wall, cpu }]) => ({
        name,
        ...(Object.hasOwn(entries, name) ? { own: true } : {}),
        figures: { wall: spreadOf(wall), cpu: spreadOf(cpu) },
      })),
    },
  ],
  targets: [
    { what: 'CPU to import the root', most: 12, measured: cpuOf('the root'), unit: 'ms' },
    { what: 'CPU to import …/webhooks', most: 8, measured: cpuOf('…/webhooks'), unit: 'ms' },
  ],
  peers,
})
