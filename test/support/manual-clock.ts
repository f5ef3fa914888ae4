import { setImmediate } from 'node:timers/promises'
import type { Timing } from '../../src/runtime/timing.ts'

interface Timer {
  readonly dueAt: number
  readonly callback: () => void
}

/** A clock that stands still until a test advances it. Its timers fire in order, at the time that they are due. */
export function manualClock() {
  let time = 0
  const timers = new Set<Timer>()

  const timer: Timing['timer'] = (callback, ms) => {
    const pending = { dueAt: time + ms, callback }
    timers.add(pending)
    return () => void timers.delete(pending)
  }
  const timing: Timing = {
    now: () => time,
    wallClock: () => Date.UTC(2026, 0, 1) + time,
    random: () => 1,
    timer,
    sleep: (ms) => new Promise((resolve) => timer(resolve, ms)),
  }
  const nextDue = (until: number) =>
    [...timers].filter(({ dueAt }) => dueAt <= until).sort((a, b) => a.dueAt - b.dueAt)[0]

  return {
    timing,
    /** How many timers are pending. */
    pending: () => timers.size,
    /** Advances the clock, and lets everything finish that each timer started. */
    async advance(ms: number) {
      const until = time + ms
      await setImmediate()
      for (let due = nextDue(until); due !== undefined; due = nextDue(until)) {
        time = due.dueAt
        timers.delete(due)
        due.callback()
        await setImmediate()
      }
      time = until
    },
  }
}
