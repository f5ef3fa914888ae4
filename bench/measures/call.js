// Measures a call, compared with `undici.request` and with similar calls through other packages; and on each Node version
// that is installed in test.
import { existsSync } from 'node:fs'
import { compareCpu } from '../cpu.js'
import { isChecking } from '../mode.js'
import { rootFolder } from '../own.js'
import { report } from '../result.js'
import { startServer } from '../servers/start.js'

const server = await startServer('api')
const how = {
  of: 'call',
  times: 160,
  atOnce: 16,
  settings: [server.origin],
  own: { 'sessions.create': 1.25, 'sessions.create over fetch': undefined },
}
const tables = [await compareCpu('call', { ...how, title: 'Small POST, 16 at a time' })]
const names = ['undici.request', 'undici.request (control)', 'sessions.create', 'stripe', 'global fetch']
for (const line of isChecking ? [] : ['20', '22', '24', '26']) {
  const node = `${rootFolder}test/node_modules/node-${line}/bin/node`
  if (existsSync(node)) tables.push(await compareCpu('call', { ...how, title: `Node ${line}`, names, node }))
}
server.stop()
report('call', tables)
