import type { Fault, World } from './world.ts'

/** A protocol of the package, and what it promises. */
export interface Protocol {
  readonly name: string
  /** The faults against which it is tested. */
  readonly faults: readonly Fault[]
  /** How long a paused process stands still: longer than its lease, in milliseconds. */
  readonly pauseMs: number
  /** How late a late request or response is: later than its limit, in milliseconds. */
  readonly lateMs: number
  /** Turns of the event loop in which a step ends. @default 1 */
  readonly turns?: number
  /** Loads code that takes real time. */
  readonly prepare?: () => Promise<void>
  /** Starts the processes, and checks the invariants while they run. */
  readonly begin: (world: World, size: Size) => Scenario
}

interface Size {
  readonly processes: number
  /** How often each process does its work. */
  readonly rounds: number
}

interface Scenario {
  /** What the scenario and the outside world remember: the store, the service, and what the checks have noted. */
  state(): string
  /** Checks what must hold once faults have stopped, and everything has settled. */
  atEnd(): void
}
