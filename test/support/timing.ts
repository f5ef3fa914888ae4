import { setImmediate } from 'node:timers/promises'
import { onAbort, type Timing } from '../../src/runtime/timing.ts'

interface Timer {
  readonly dueAt: number
  readonly callback: () => void
}

/** A clock that stands still until a test advances it. Its timers fire in order, at the time that they are due. */
export function manualClock() {
  let time = 0
  const pending = new Set<Timer>()
  const timers: number[] = []

  const timer: Timing['timer'] = (callback, ms) => {
    const started = { dueAt: time + ms, callback }
    timers.push(ms)
    pending.add(started)
    return () => void pending.delete(started)
  }
  const timing: Timing = {
    now: () => time,
    wallClock: () => Date.UTC(2026, 0, 1) + time,
    random: () => 1,
    timer,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const cancel = timer(resolve, ms)
        if (!signal) return
        onAbort(signal, () => {
          cancel()
          resolve()
        })
      }),
  }
  const nextDue = (until: number) =>
    [...pending].filter(({ dueAt }) => dueAt <= until).sort((a, b) => a.dueAt - b.dueAt)[0]

  return {
    timing,
    /** The duration of each timer that was started, in milliseconds. */
    timers,
    /** The number of pending timers. */
    pending: () => pending.size,
    /** Moves the clock and fires no timer. */
    passTime(ms: number) {
      time += ms
    },
    /** Moves the clock and fires the timers that become due. Waits until everything that they started has settled. */
    async advance(ms: number) {
      const until = time + ms
      await setImmediate()
      for (let due = nextDue(until); due !== undefined; due = nextDue(until)) {
        time = Math.max(time, due.dueAt)
        pending.delete(due)
        due.callback()
        await setImmediate()
      }
      time = Math.max(time, until)
    },
  }
}

/** Parts of a timing that a test replaces. */
export type TimingParts = { readonly [Part in keyof Timing]?: Timing[Part] | undefined }

/** A manual clock on which `sleep` takes no time: each sleep is recorded in `waits` and moves the clock. */
export function testTiming({ now, wallClock, random, sleep, timer }: TimingParts = {}) {
  const clock = manualClock()
  const waits: number[] = []
  const timing: Timing = {
    now: now ?? clock.timing.now,
    wallClock: wallClock ?? clock.timing.wallClock,
    random: random ?? clock.timing.random,
    timer: timer ?? clock.timing.timer,
    sleep:
      sleep ??
      (async (ms) => {
        waits.push(ms)
        clock.passTime(ms)
      }),
  }
  return { ...clock, timing, waits }
}
