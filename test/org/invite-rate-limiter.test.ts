import { expect, it } from 'vitest'
import { InviteRateLimiter } from '../../src/org/invite-rate-limiter.ts'

/** A limiter whose waits never end. The requested durations are recorded. */
function stoppedLimiter() {
  let nowMs = 0
  const waits: number[] = []
  const limiter = new InviteRateLimiter({
    now: () => nowMs,
    wallClock: () => nowMs,
    random: () => 1,
    timer: () => () => {},
    sleep: (ms) => {
      waits.push(ms)
      return new Promise(() => {})
    },
  })
  const at = (ms: number) => {
    nowMs = ms
  }
  return { limiter, waits, at }
}

it('gives each of several simultaneous waits its own slot', () => {
  const { limiter, waits, at } = stoppedLimiter()
  for (let second = 0; second < 10; second++) {
    at(second * 1000)
    limiter.record()
  }

  for (let i = 0; i < 11; i++) void limiter.reserve(undefined)

  const expected = Array.from({ length: 10 }, (_, second) => 51_000 + second * 1000)
  expect(waits).toEqual([...expected, 111_000])
})

it('counts requests that are sent while others wait in the order of time', () => {
  const { limiter, waits, at } = stoppedLimiter()
  for (let i = 0; i < 10; i++) limiter.record()
  void limiter.reserve(undefined)
  for (let second = 5; second < 15; second++) {
    at(second * 1000)
    limiter.record()
  }

  void limiter.reserve(undefined)

  // One is sent at 60 s, and nine were sent at 6 to 14 s. A request at 65 s would be the eleventh in a minute.
  expect(waits).toEqual([60_000, 66_000 - 14_000])
})

it('waits for whole milliseconds, because timers have no finer unit', () => {
  const { limiter, waits, at } = stoppedLimiter()
  at(0.25)
  for (let i = 0; i < 10; i++) limiter.record()
  at(1)
  void limiter.reserve(undefined)
  expect(waits).toEqual([60_000])
})
