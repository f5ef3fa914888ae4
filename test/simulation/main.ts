import { findMutants } from './find-mutants.ts'
import { load } from './modules.ts'
import { soak } from './soak.ts'

/**
 * The nightly simulation: `npm run simulation`, or one part of it: `npm run simulation -- mutants`, or one protocol of
 * a part: `npm run simulation -- exhaustive webhooks`. Its runs are the same each night, unless `SEED` is set.
 */
const parts = process.argv.slice(2)
const runs = (part: string) => parts.length === 0 || parts.includes(part)
const seed = Number(process.env.SEED ?? 1)
/** Runs of an exhaustive case, at most. A case that needs more is reported as incomplete. */
const maxRuns = Number(process.env.RUNS ?? 20_000)
let failures = 0

const table = (columns: readonly (string | number)[]) =>
  console.log(columns.map((column, i) => String(column).padEnd(i === 0 ? 22 : 11)).join(''))
const secondsSince = (startedAt: number) => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`

const { explore, protocols: all, close } = await load()
const protocols = all.filter(({ name }) => name === (parts[1] ?? name))
type Finding = Awaited<ReturnType<typeof explore.exploreRandomly>>
function report(finding: Finding): void {
  if (finding === undefined) return
  failures++
  console.log(explore.textOf(finding))
}

if (runs('exhaustive')) {
  table(['two processes', 'faults', 'runs', 'states', 'choices', 'ends', 'longest', 'complete', 'time'])
  for (const protocol of protocols)
    for (const maxFaults of [0, 1, 2]) {
      const startedAt = performance.now()
      const covered = await explore.exploreAll(protocol, { maxFaults, maxRuns })
      const { states, transitions, finals, longest, isComplete, finding } = covered
      const counts = [maxFaults, covered.runs, states, transitions, finals, longest]
      table([protocol.name, ...counts, isComplete ? 'yes' : 'no', secondsSince(startedAt)])
      report(finding)
    }
}
if (runs('random')) {
  table(['three processes', 'faults', 'runs', 'time'])
  for (const protocol of protocols) {
    const startedAt = performance.now()
    const budget = { seed, runs: Math.ceil(maxRuns / 20), processes: 3, rounds: 2, maxFaults: 5 }
    report(await explore.exploreRandomly(protocol, budget))
    table([protocol.name, 5, budget.runs, secondsSince(startedAt)])
  }
}
await close()
if (runs('mutants')) failures += await findMutants(parts[1] ?? '')
// Takes most of an hour: only if it is named.
if (runs('soak')) failures += await soak()
process.exitCode = failures === 0 ? 0 : 1
