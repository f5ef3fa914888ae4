// Measures a call on each Node version, with the rows of `call` that use the default transport.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { byMode } from '../harness/arguments.js'
import { rootFolder } from '../harness/own.js'
import { ratioGroup, ratioOf } from '../harness/ratio-group.js'
import { writeResult } from '../harness/result.js'
import { inRounds } from '../harness/rounds.js'
import { startServer } from '../harness/server.js'

const installed = ['20', '22', '24', '26']
  .map((line) => `${rootFolder}test/runtimes/node_modules/node-${line}/bin/node`)
  .filter((path) => existsSync(path))
if (installed.length === 0)
  console.log(
    'Only the current Node version is measured. To install the others: npm ci --prefix test/runtimes',
  )

const own = ['sessions.create']
const server = await startServer('api')
/** @type {import('../harness/result.js').Group[]} */
const groups = []
/** @type {import('../harness/result.js').Target[]} */
const targets = []
for (const node of installed.length === 0 ? [process.execPath] : installed) {
  const measured = await inRounds(
    'call',
    ['undici.request', 'undici.request (control)', 'sessions.create', 'stripe', 'global fetch'],
    { own, rounds: byMode(7, 31), blockMs: byMode(60, 250), settings: [server.origin], node },
  )
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
  groups.push(ratioGroup(`Node ${version}`, measured, { own, work: 'call' }))
  const ratio = ratioOf(measured, 'sessions.create')
  targets.push(
    {
      what: `sessions.create against undici.request, Node ${version}`,
      most: 1.25,
      measured: ratio,
      unit: 'x',
    },
    {
      what: `sessions.create against stripe, Node ${version}`,
      most: 1,
      measured: ratio / ratioOf(measured, 'stripe'),
      unit: 'x',
    },
  )
}

server.stop()

writeResult('runtimes', {
  title: 'CPU of a call by Node version, 16 at a time',
  what: 'CPU of the calling process for a small POST to a local server, as a multiple of undici.request on the same Node.',
  groups,
  targets,
  peers: ['stripe'],
})
