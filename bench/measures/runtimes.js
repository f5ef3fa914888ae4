// What a call costs on each line of Node: the rows of `call` that need no other transport, in a process of each.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isFull } from '../harness/arguments.js'
import { rootFolder } from '../harness/own.js'
import { ratioGroup, ratioOf } from '../harness/ratio-group.js'
import { writeResult } from '../harness/result.js'

const run = promisify(execFile)
const program = fileURLToPath(new URL('../programs/calls.js', import.meta.url))
const installed = ['20', '22', '24', '26']
  .map((line) => `${rootFolder}test/runtimes/node_modules/node-${line}/bin/node`)
  .filter((path) => existsSync(path))
if (installed.length === 0) console.log('Only this Node is here: npm ci --prefix test/runtimes brings others')

/** @type {import('../harness/result.js').Group[]} */
const groups = []
/** @type {import('../harness/result.js').Target[]} */
const targets = []
for (const node of installed.length === 0 ? [process.execPath] : installed) {
  const { stdout } = await run(node, ['--expose-gc', program, ...(isFull ? ['--full'] : [])])
  const { version, rows } = JSON.parse(stdout)
  const measured = new Map(Object.entries(rows))
  groups.push(ratioGroup(`Node ${version}`, measured, { own: ['sessions.create'], work: 'call', longest: 3 }))
  const own = ratioOf(measured, 'sessions.create')
  targets.push(
    { what: `sessions.create against undici.request, Node ${version}`, most: 1.2, measured: own, unit: 'x' },
    {
      what: `sessions.create against stripe, Node ${version}`,
      most: 1,
      measured: own / ratioOf(measured, 'stripe'),
      unit: 'x',
    },
  )
}

writeResult('runtimes', {
  title: 'CPU of a call on each line of Node, 16 at a time',
  what: 'CPU of the calling process for a small POST to a local server, as a multiple of undici.request on the same Node.',
  groups,
  targets,
  peers: ['stripe'],
})
