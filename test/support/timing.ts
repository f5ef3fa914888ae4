import type { Timing } from '../../src/runtime/timing.ts'

type TimingParts = { [Part in keyof Timing]?: Timing[Part] | undefined }

/** A clock whose waits take no time: each is noted, and the clock moves on by it. Parts of it may be replaced. */
export function testTiming({ now, wallClock, sleep, random }: TimingParts) {
  const waits: number[] = []
  let elapsedMs = 0
  const passTime = (ms: number) => {
    elapsedMs += ms
  }
  const clock: Timing = {
    now: now ?? (() => elapsedMs),
    wallClock: wallClock ?? (() => Date.UTC(2026, 0, 1) + elapsedMs),
    random: random ?? (() => 1),
    sleep:
      sleep ??
      (async (ms) => {
        waits.push(ms)
        passTime(ms)
      }),
  }
  return { clock, waits, passTime }
}
