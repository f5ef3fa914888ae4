import fc from 'fast-check'
import type { Protocol } from './protocol.ts'
import {
  chooseBy,
  firstFault,
  type Outcome,
  type RunSettings,
  replay,
  replayText,
  seedOf,
  simulate,
  stop,
} from './run.ts'
import { hash, type Option } from './world.ts'

/** Mostly what happens without a choice, sometimes another order, and a few faults. */
const number = fc.oneof(
  { weight: 12, arbitrary: fc.constant(0) },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: firstFault - 1 }) },
  { weight: 1, arbitrary: fc.integer({ min: firstFault, max: firstFault + 59 }) },
)

/** Writes a finding for a person: what does not hold, how to see it again, and what happened. */
export const textOf = ({ violation, replay: again, timeline }: Finding): string =>
  `${violation}\nSIMULATION='${again}' npx vitest run test/simulation\n${timeline.join('\n')}`

const choices = fc.array(number, { maxLength: 200, size: 'max' })

/** A run in which an invariant does not hold. */
export interface Finding {
  readonly protocol: string
  /** The shrunk choices. */
  readonly seed: string
  /** What shows the timeline again, as the environment variable `SIMULATION` of the test. */
  readonly replay: string
  /** The number of runs until it was found. */
  readonly runs: number
  readonly violation: string
  readonly timeline: readonly string[]
}

/** Runs random choices, and shrinks those of the first run in which an invariant does not hold. */
export async function exploreRandomly(
  protocol: Protocol,
  { seed, runs, ...settings }: RunSettings & { seed: number; runs: number },
): Promise<Finding | undefined> {
  let count = 0
  let failedAt: number | undefined
  const property = fc.asyncProperty(choices, async (numbers) => {
    count++
    const { violations } = await simulate(protocol, chooseBy(numbers), settings)
    if (violations.length === 0) return
    failedAt ??= count
    throw new Error(violations[0])
  })
  const { counterexample } = await fc.check(property, { seed, numRuns: runs })
  if (counterexample === null) return undefined
  return describe(protocol, seedOf(counterexample[0]), failedAt ?? count, settings)
}

async function describe(protocol: Protocol, seed: string, runs: number, settings: RunSettings): Promise<Finding> {
  const { violations, timeline } = await replay(protocol, seed, settings)
  const again = replayText(protocol, seed, settings)
  return {
    protocol: protocol.name,
    seed,
    replay: again,
    runs,
    violation: violations[0] ?? 'none at replay',
    timeline,
  }
}

/** What an exhaustive exploration has covered. */
export interface Coverage {
  readonly protocol: string
  /** Runs, each with another order or other faults. */
  readonly runs: number
  /** Distinct states at which a choice was made. */
  readonly states: number
  /** Choices that were taken: the edges between states. */
  readonly transitions: number
  /** Distinct states in the end. */
  readonly finals: number
  /** The longest run, in steps. */
  readonly longest: number
  readonly isComplete: boolean
  readonly finding?: Finding
}

/**
 * Takes every choice at every state that can be reached, depth first. A run that comes to a known state ends there:
 * code is deterministic, so what each process has observed, the store, the service and what is on its way determine the
 * rest.
 */
export async function exploreAll(
  protocol: Protocol,
  { maxRuns = Number.POSITIVE_INFINITY, ...settings }: RunSettings & { maxRuns?: number },
): Promise<Coverage> {
  const seen = new Set<number>()
  const finals = new Set<number>()
  const open: (readonly number[])[] = [[]]
  let runs = 0
  let transitions = 0
  let longest = 0
  let finding: Finding | undefined
  while (open.length > 0 && runs < maxRuns && finding === undefined) {
    const prefix = open.pop() as readonly number[]
    const taken: number[] = []
    const numbers: number[] = []
    runs++
    const choose = (options: readonly Option[], _: unknown, state: () => string): number => {
      const depth = taken.length
      let index = prefix[depth] ?? 0
      if (depth >= prefix.length) {
        const key = hash(state())
        if (seen.has(key)) throw stop
        seen.add(key)
        transitions += options.length
        for (let other = options.length - 1; other > 0; other--) open.push([...taken, other])
        index = 0
      }
      taken.push(index)
      numbers.push(numberOf(options, index))
      return index
    }
    let outcome: Outcome
    try {
      outcome = await simulate(protocol, choose, { ...settings, reduces: true })
    } catch (thrown) {
      if (thrown !== stop) throw thrown
      continue
    }
    finals.add(hash(outcome.final))
    longest = Math.max(longest, outcome.world.steps)
    if (outcome.violations.length > 0)
      finding = await describe(protocol, seedOf(numbers), runs, { ...settings, reduces: true })
  }
  const isComplete = open.length === 0
  const counted = {
    protocol: protocol.name,
    runs,
    states: seen.size,
    transitions,
    finals: finals.size,
    longest,
  }
  return { ...counted, isComplete, ...(finding && { finding }) }
}

/** Returns the number by which {@link chooseBy} takes an option. */
function numberOf(options: readonly Option[], index: number): number {
  const steps = options.filter(({ fault }) => fault === undefined).length
  return index < steps ? index : firstFault + index - steps
}
