import { readFileSync, writeFileSync } from 'node:fs'
import { load } from './modules.ts'
import { mutants } from './mutants.ts'

/** How a mutant was found. */
interface Result {
  readonly mutant: string
  readonly protocol: string
  readonly by: 'random runs' | 'exhaustive exploration'
  readonly runs: number | undefined
  readonly seed: string | undefined
  readonly violation: string | undefined
  /** Whether the campaign of its protocol finds it too. */
  readonly campaign?: string | undefined
}

/** Random runs. What they do not find is looked for by an exhaustive exploration. */
const randomRuns = 1_500
const exhaustiveRuns = 3_000

/**
 * Looks for each mutant, and writes `mutants.json`: what was found after how many runs, and the shortest
 * seed that shows it.
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
    if (protocol === undefined)
      throw new Error(`${mutant.name}: the protocol ${mutant.protocol} does not exist`)
    const random = await explore.exploreRandomly(protocol, { seed: 1, runs: randomRuns, rounds: 2 })
    const found =
      random ?? (await explore.exploreAll(protocol, { maxFaults: 0, maxRuns: exhaustiveRuns })).finding
    await close()
    if (found === undefined) missing++
    const violation = found?.violation.split('\n')[0]
    results.set(mutant.name, {
      mutant: mutant.name,
      protocol: mutant.protocol,
      by: random ? 'random runs' : 'exhaustive exploration',
      runs: found?.runs,
      seed: found?.seed,
      violation,
      campaign: results.get(mutant.name)?.campaign,
    })
    const runs = found === undefined ? 'NOT FOUND' : `${found.runs} runs`
    console.log(`${runs.padEnd(10)} ${mutant.protocol}: ${mutant.name} (${found?.seed}) ${violation}`)
  }
  const inOrder = mutants.flatMap(({ name }) => results.get(name) ?? [])
  writeFileSync(file, `${JSON.stringify(inOrder, null, 2)}\n`)
  return missing
}
