// Measures long lists: parsing and validation, compared with parsing alone. The peak memory of a process never falls, so
// that each of its figures has its own process.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compareCpu, median } from '../cpu.js'
import { byMode } from '../mode.js'
import { report } from '../result.js'

const program = fileURLToPath(new URL('../programs/list.js', import.meta.url))

const compare = (/** @type {'members' | 'sessions'} */ kind, /** @type {number} */ length) =>
  compareCpu('list', {
    title: `${length.toLocaleString('en')} ${kind}`,
    of: 'list',
    times: 1,
    settings: [kind, String(length)],
    own: { [`${kind}.list`]: 1.25 },
  })

const length = byMode(1000, 100_000, 100_000)
const names = ['JSON.parse', 'JSON.parse (control)', 'members.list']
/** @type {number[][]} */
const rounds = []
for (let round = 0; round < byMode(1, 7, 21); round++)
  rounds.push(
    names.map((name) =>
      Number(execFileSync(process.execPath, [program, name, 'members', String(length)], { encoding: 'utf8' })),
    ),
  )
const middle = (/** @type {(peaks: number[]) => number} */ figure) => median(rounds.map(figure))

report('list', [
  await compare('members', byMode(100, 50_000, 50_000)),
  await compare('sessions', byMode(100, 10_000, 10_000)),
  {
    title: `Peak memory, ${length.toLocaleString('en')} members`,
    columns: { memory: 'peak memory of the process, MiB', ratio: `times ${names[0]}` },
    rows: names.map((name, i) => ({
      name,
      own: name === 'members.list',
      figures: {
        memory: middle((peaks) => Number(peaks[i])),
        ratio: middle((peaks) => Number(peaks[i]) / Number(peaks[0])),
      },
      limits: name === 'members.list' ? { ratio: 1.2 } : {},
    })),
  },
])
