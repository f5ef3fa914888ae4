import { realTiming } from '../../runtime/timing.ts'

/** How rules let time pass. */
export interface StoreClock {
  /** Milliseconds that only grow, at about the rate of the store's clock. */
  now(): number
  /** Lets milliseconds pass for the store. */
  pass(ms: number): Promise<void>
}

/** For stores whose engine has a clock of its own. */
export const realClock: StoreClock = {
  now: realTiming.now,
  pass: (ms) => realTiming.sleep(ms, undefined),
}

/** For stores whose clock a test can move. */
export function injectedClock(advance: (ms: number) => unknown): StoreClock {
  let time = 0
  return {
    now: () => time,
    async pass(ms) {
      await advance(ms)
      time += ms
    },
  }
}
