// Measures imports by name, as users write them: a process that imports a package, compared with one that imports an
// empty module. Each import needs a process, so tinybench cannot measure it.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { byMode, isChecking } from '../mode.js'
import { linkPackage, peers } from '../peers.js'
import { report } from '../result.js'

const program = fileURLToPath(new URL('../programs/importing.js', import.meta.url))
const sdk = linkPackage()
/** @type {Record<string, string>} */
const own = {
  'the root': sdk,
  '…/webhooks': `${sdk}/webhooks`,
  '…/express': `${sdk}/express`,
  '…/stores/redis': `${sdk}/stores/redis`,
}
/** @type {Record<string, number>} */
const budgets = { 'the root': 0.25, '…/webhooks': 0.1, '…/express': 0.14, '…/stores/redis': 0.1 }
const nothing = 'empty module'
const others = isChecking ? ['stripe'] : peers.filter((name) => !/^@(?:clerk|opentelemetry)\//.test(name))
/** @type {Record<string, string>} */
const modules = {
  [nothing]: './empty.js',
  'empty module (control)': './empty.js',
  ...own,
  // The entry of clerk is a list of subpaths. OpenTelemetry is what a call is measured with.
  ...Object.fromEntries(others.map((name) => [name, name])),
}

/** The minimum of some starts, because other load only adds. The modules take turns. @type {Map<string, number>} */
const least = new Map()
for (let round = 0; round < byMode(1, 15, 45); round++) {
  for (const [name, module] of Object.entries(modules)) {
    const cpu = Number(execFileSync(process.execPath, [program, module], { encoding: 'utf8' }))
    least.set(name, Math.min(cpu, least.get(name) ?? cpu))
  }
}
const costOf = (/** @type {string} */ name) => Number(least.get(name)) - Number(least.get(nothing))

report('import', [
  {
    title: 'Import, more than an empty module',
    columns: { cpu: 'CPU, ms', ratio: 'times stripe' },
    tolerance: 1.2,
    rows: [...least.keys()].slice(1).map((name) => ({
      name,
      own: name in own,
      figures: { cpu: costOf(name), ratio: costOf(name) / costOf('stripe') },
      limits: budgets[name] === undefined ? {} : { ratio: budgets[name] },
    })),
  },
])
