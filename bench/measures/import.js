// Measures imports by name, as users write them: a process that imports a package, compared with one that imports an
// empty module.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { byMode } from '../harness/arguments.js'
import { jobsOf } from '../harness/comparison.js'
import { rootFolder } from '../harness/own.js'
import { linkPackage, pinnedPeers } from '../harness/peers.js'
import { writeResult } from '../harness/result.js'
import { spreadOf } from '../harness/spread.js'

const program = fileURLToPath(new URL('../programs/importing.js', import.meta.url))
const nothing = 'empty module'
const control = 'empty module (control)'
const reference = '@workos-inc/node'
/** @type {Record<string, string>} */
const entries = {
  'the root': '',
  '…/webhooks': '/webhooks',
  '…/verification': '/verification',
  '…/oidc': '/oidc',
}
const own = Object.keys(entries)
const peers = Object.keys(pinnedPeers()).filter((name) => name !== '@clerk/backend')
const others = peers.filter((name) => name !== reference)

/** @type {Map<string, string>} */
const modules = new Map()
for (const { name, row, checkout } of jobsOf([nothing, control, reference, ...own, ...others], own, [
  reference,
])) {
  const specifier = () =>
    linkPackage(`identity-service-sdk${checkout ? '-before' : ''}`, checkout ?? rootFolder)
  if (row === nothing || row === control) modules.set(name, './empty.js')
  else modules.set(name, own.includes(row) ? specifier() + entries[row] : row)
}

/** @typedef {{ wall: number, cpu: number }} Cost */

/**
 * @param {string} name
 * @returns {Cost}
 */
const costOf = (name) =>
  JSON.parse(execFileSync(process.execPath, [program, String(modules.get(name))], { encoding: 'utf8' }))

/**
 * Returns the minimum of five starts of each module, because other load only adds, and adds more than most imports
 * take. The modules take turns, so that the load is the same for all.
 *
 * @param {readonly string[]} names
 */
function minimumCosts(names) {
  /** @type {Map<string, Cost>} */
  const least = new Map()
  for (let start = 0; start < 5; start++) {
    for (const name of start % 2 === 0 ? names : names.toReversed()) {
      const { wall, cpu } = costOf(name)
      const before = least.get(name) ?? { wall, cpu }
      least.set(name, { wall: Math.min(before.wall, wall), cpu: Math.min(before.cpu, cpu) })
    }
  }
  return (/** @type {string} */ name) => least.get(name) ?? { wall: Number.NaN, cpu: Number.NaN }
}

const names = [...modules.keys()]
/** @type {Map<string, { wall: number, cpu: number, difference: number }[]>} */
const found = new Map(names.slice(1).map((name) => [name, []]))
for (const name of names) costOf(name)
for (let round = 0; round < byMode(11, 25); round++) {
  // These are measured less often, because they are slow and their figures are far apart.
  const due = names.filter((name) => !others.includes(name) || round % 3 === 0)
  const cost = minimumCosts(due)
  for (const name of due.slice(1)) {
    const { wall, cpu } = cost(name)
    const difference = cpu - cost(reference).cpu
    found.get(name)?.push({ wall: wall - cost(nothing).wall, cpu: cpu - cost(nothing).cpu, difference })
  }
}

/**
 * @param {string} name
 * @param {'wall' | 'cpu' | 'difference'} key
 */
const spread = (name, key) => spreadOf((found.get(name) ?? []).map((figures) => figures[key]))

writeResult('import', {
  title: 'CPU of an import',
  what: 'CPU that a process uses to import a package, minus the CPU of a process that imports an empty module.',
  groups: [
    {
      title: 'Import, compared with an empty process',
      columns: [
        { key: 'wall', label: 'time', unit: 'ms' },
        { key: 'cpu', label: 'CPU', unit: 'ms' },
        { key: 'difference', label: `CPU minus that of ${reference}`, unit: 'ms' },
      ],
      bars: 'cpu',
      rows: [...found.keys()].map((name) => ({
        name,
        ...(own.includes(name) ? { own: true } : {}),
        figures: {
          wall: spread(name, 'wall'),
          cpu: spread(name, 'cpu'),
          difference: spread(name, 'difference'),
        },
      })),
    },
  ],
  targets: [
    {
      what: `CPU to import the root, minus that of ${reference}`,
      most: 2,
      measured: spread('the root', 'difference').median,
      unit: 'ms',
    },
  ],
  peers,
})
