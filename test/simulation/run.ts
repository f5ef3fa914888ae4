import type { Protocol } from './protocol.ts'
import { type Choose, type Fault, type Option, World } from './world.ts'

/** How a run ended. */
export interface Outcome {
  readonly violations: readonly string[]
  readonly timeline: readonly string[]
  readonly world: World
  /** What was left in the end. */
  readonly final: string
}

export interface RunSettings {
  readonly processes?: number
  readonly rounds?: number
  readonly maxFaults?: number
  readonly records?: boolean
  readonly maxSteps?: number
  /** Only these faults. @default those of the protocol */
  readonly faults?: readonly Fault[]
  readonly reduces?: boolean
}

/** Ends a run, because what follows was explored before. */
export const stop: unique symbol = Symbol('stop')

/** Runs a protocol once. */
export async function simulate(
  protocol: Protocol,
  choose: (options: readonly Option[], world: World, state: () => string) => number,
  settings: RunSettings = {},
): Promise<Outcome> {
  const { pauseMs, lateMs, turns = 1 } = protocol
  await protocol.prepare?.()
  const { processes = 2, rounds = 1, maxFaults = 3, records = false, maxSteps = 3_000, reduces = false } = settings
  const { faults = protocol.faults } = settings
  const world = new World({ faults, maxFaults, pauseMs, lateMs, records, maxSteps, reduces, turns })
  Object.defineProperty(crypto, 'randomUUID', { value: () => world.nextId(), configurable: true })
  try {
    const scenario = protocol.begin(world, { processes, rounds })
    const state = () => `${world.state()}\n${scenario.state()}`
    const chooseWithState: Choose = (options) => choose(options, world, state)
    await world.run(chooseWithState)
    if (world.violations.length === 0) scenario.atEnd()
    return { violations: world.violations, timeline: world.timeline, world, final: scenario.state() }
  } finally {
    Reflect.deleteProperty(crypto, 'randomUUID')
  }
}

/** From this value on, a choice is a fault. Below it, it is one of the steps that are ready. */
export const firstFault = 10

/**
 * Chooses by numbers: 0 for the step that is ready for the longest time. After the last number no fault happens, and
 * everything must settle.
 */
export function chooseBy(numbers: readonly number[]) {
  let next = 0
  return (options: readonly Option[]): number => {
    const number = numbers[next++] ?? 0
    const steps = options.filter(({ fault }) => fault === undefined).length
    if (number < firstFault) return number % steps
    const faults = options.length - steps
    return faults === 0 ? 0 : steps + ((number - firstFault) % faults)
  }
}

/** Writes choices as text, without the zeros at the end. */
export const seedOf = (numbers: readonly number[]): string => numbers.join('.').replace(/(?:(?:^|\.)0)+$/, '') || '0'

const choicesOf = (seed: string): number[] => seed.split('.').map(Number)

/** Writes how a run is replayed: the protocol, the seed, the number of processes, rounds and faults, and the order. */
export function replayText({ name }: Protocol, seed: string, settings: RunSettings): string {
  const { processes = 2, rounds = 1, maxFaults = 3, reduces = false } = settings
  return [name, seed, processes, rounds, maxFaults, reduces ? 'reduced' : 'all'].join('/')
}

/** Runs what {@link replayText} wrote. */
export function replayAgain(text: string, protocols: readonly Protocol[]): Promise<Outcome> {
  const [name, seed = '0', processes = '2', rounds = '1', maxFaults = '3', order] = text.split('/')
  const protocol = protocols.find((one) => one.name === name)
  if (protocol === undefined) throw new Error(`the protocol ${name} does not exist`)
  const size = { processes: Number(processes), rounds: Number(rounds), maxFaults: Number(maxFaults) }
  return replay(protocol, seed, { ...size, reduces: order === 'reduced' })
}

/** Runs a protocol by a seed, and keeps its timeline. */
export const replay = (protocol: Protocol, seed: string, settings: RunSettings = {}): Promise<Outcome> =>
  simulate(protocol, chooseBy(choicesOf(seed)), { ...settings, records: true })
