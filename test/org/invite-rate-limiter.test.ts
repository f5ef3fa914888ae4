import { expect, it } from 'vitest'
import { InviteRateLimiter } from '../../src/org/invite-rate-limiter.ts'

/** A pace whose waits never end by themselves: what they were asked to last is noted. */
function stoppedPace() {
  let nowMs = 0
  const waits: number[] = []
  const pace = new InviteRateLimiter({
    now: () => nowMs,
    wallClock: () => nowMs,
    random: () => 1,
    sleep: (ms) => {
      waits.push(ms)
      return new Promise(() => {})
    },
  })
  const at = (ms: number) => {
    nowMs = ms
  }
  return { pace, waits, at }
}

it('those that wait at the same time wait for one turn each', () => {
  const { pace, waits, at } = stoppedPace()
  for (let second = 0; second < 10; second++) {
    at(second * 1000)
    pace.record()
  }

  for (let i = 0; i < 11; i++) void pace.wait(undefined)

  const turns = Array.from({ length: 10 }, (_, second) => 51_000 + second * 1000)
  expect(waits).toEqual([...turns, 111_000])
})

it('counts what is sent while others wait in the order of the clock', () => {
  const { pace, waits, at } = stoppedPace()
  for (let i = 0; i < 10; i++) pace.record()
  void pace.wait(undefined)
  for (let second = 5; second < 15; second++) {
    at(second * 1000)
    pace.record()
  }

  void pace.wait(undefined)

  // One goes at 60 s and nine went at 6 to 14 s: 65 s would be an eleventh in a minute.
  expect(waits).toEqual([60_000, 66_000 - 14_000])
})

it('waits for whole milliseconds, which is what timers have', () => {
  const { pace, waits, at } = stoppedPace()
  at(0.25)
  for (let i = 0; i < 10; i++) pace.record()
  at(1)
  void pace.wait(undefined)
  expect(waits).toEqual([60_000])
})
