import { readFileSync, writeFileSync } from 'node:fs'
import type { Finding } from './explore.ts'
import { load } from './modules.ts'
import { mutants } from './mutants.ts'

/** How a mutant was found. */
interface Result {
  readonly mutant: string
  readonly protocol: string
  readonly by: 'random runs' | 'exhaustive exploration' | undefined
  readonly runs: number | undefined
  /** The shrunk seed and its settings, as the environment variable `SIMULATION` of the test. */
  readonly replay: string | undefined
  readonly violation: string | undefined
}

/** In this order, until one finds the mutant: most are found by the first, within seconds. */
const searches = [
  { by: 'random runs', runs: 1_500, rounds: 2 },
  { by: 'exhaustive exploration', maxFaults: 0, maxRuns: 3_000 },
  { by: 'random runs', runs: 1_000, processes: 3, rounds: 2, maxFaults: 5 },
  { by: 'exhaustive exploration', maxFaults: 1, maxRuns: 20_000 },
  { by: 'exhaustive exploration', maxFaults: 2, maxRuns: 20_000 },
] as const

/**
 * Looks for each mutant, and writes `mutants.json`: what was found after how many runs of the search that found it, and
 * the shortest seed that shows it.
 *
 * @param part only mutants whose name contains it
 * @returns the number of mutants that were not found
 */
export async function findMutants(part = ''): Promise<number> {
  const file = new URL('mutants.json', import.meta.url)
  const earlier = JSON.parse(readFileSync(file, 'utf8')) as Result[]
  const results = new Map(earlier.map((result) => [result.mutant, result]))
  let missing = 0
  for (const mutant of mutants.filter(({ name, protocol }) => `${protocol}: ${name}`.includes(part))) {
    const { explore, protocols, close } = await load(mutant)
    const protocol = protocols.find(({ name }) => name === mutant.protocol)
    if (protocol === undefined) throw new Error(`${mutant.name}: the protocol ${mutant.protocol} does not exist`)
    let found: Finding | undefined
    let by: Result['by'] | undefined
    for (const search of searches) {
      by = search.by
      found =
        'runs' in search
          ? await explore.exploreRandomly(protocol, { seed: 1, ...search })
          : (await explore.exploreAll(protocol, search)).finding
      if (found !== undefined) break
    }
    await close()
    if (found === undefined) missing++
    const violation = found?.violation.split('\n')[0]
    results.set(mutant.name, {
      mutant: mutant.name,
      protocol: mutant.protocol,
      by,
      runs: found?.runs,
      replay: found?.replay,
      violation,
    })
    const runs = found === undefined ? 'NOT FOUND' : `${found.runs} runs`
    console.log(`${runs.padEnd(10)} ${mutant.protocol}: ${mutant.name} (${found?.replay}) ${violation}`)
  }
  const inOrder = mutants.flatMap(({ name }) => results.get(name) ?? [])
  writeFileSync(file, `${JSON.stringify(inOrder, null, 2)}\n`)
  return missing
}
