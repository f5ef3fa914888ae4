// Measures the first call of a fresh process, as a serverless function makes it: from the start of Node, through the
// import of a package, to the response.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { byMode } from '../mode.js'
import { linkPackage } from '../peers.js'
import { report } from '../result.js'
import { startServer } from '../servers/start.js'

const program = fileURLToPath(new URL('../programs/first-call.js', import.meta.url))
const own = linkPackage()
const names = ['workos', 'workos (control)', own, 'stripe', 'global fetch']
const server = await startServer('api')

/** @typedef {{ elapsed: number, cpu: number }} Cost */
/** The minimum of some starts, because other load only adds. The packages take turns. @type {Map<string, Cost>} */
const least = new Map()
for (let round = 0; round < byMode(1, 15, 45); round++) {
  for (const name of names) {
    const args = [program, name.replace(/ \(control\)$/, ''), server.origin]
    /** @type {Cost} */
    const cost = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
    const { elapsed, cpu } = least.get(name) ?? cost
    least.set(name, { elapsed: Math.min(elapsed, cost.elapsed), cpu: Math.min(cpu, cost.cpu) })
  }
}
server.stop()
const costOf = (/** @type {string} */ name) => /** @type {Cost} */ (least.get(name))

report('first-call', [
  {
    title: 'First call of a process',
    columns: { elapsed: 'ms since the start of Node', cpu: 'CPU, ms', ratio: 'CPU, times workos' },
    rows: names.map((name) => ({
      name,
      own: name === own,
      figures: { ...costOf(name), ratio: costOf(name).cpu / costOf('workos').cpu },
    })),
  },
])
