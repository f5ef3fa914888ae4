import { getEventListeners } from 'node:events'
import { expect, it, vi } from 'vitest'
import { realTiming } from '../../src/runtime/timing.ts'

const hourMs = 3_600_000

it('calls back once when a timer is due', async () => {
  const callback = vi.fn()
  await new Promise<void>((resolve) => {
    realTiming.timer(() => {
      callback()
      resolve()
    }, 1)
  })

  expect(callback).toHaveBeenCalledOnce()
})

it.each([
  [{ unref: true }, false],
  [{ unref: false }, true],
  [undefined, true],
])('keeps the process alive for a timer with the options %j: %s', (options, keepsAlive) => {
  const set = vi.spyOn(globalThis, 'setTimeout')

  const cancel = realTiming.timer(() => {}, hourMs, options)

  const timer: NodeJS.Timeout | undefined = set.mock.results[0]?.value
  expect(timer?.hasRef()).toBe(keepsAlive)
  cancel()
})

it('supports a runtime whose timers are numbers', () => {
  vi.stubGlobal('setTimeout', () => 7)
  vi.stubGlobal('clearTimeout', () => {})

  expect(() => realTiming.timer(() => {}, hourMs, { unref: true })()).not.toThrow()
})

it('sleeps until the time is over, and leaves no listener', async () => {
  const { signal } = new AbortController()

  await realTiming.sleep(1, signal)

  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('returns a clock that only grows, the time of day, and a random number from 0 to 1', () => {
  const before = realTiming.now()

  expect(realTiming.now()).toBeGreaterThanOrEqual(before)
  expect(Math.abs(realTiming.wallClock() - Date.now())).toBeLessThan(60_000)
  expect(realTiming.random()).toBeGreaterThanOrEqual(0)
  expect(realTiming.random()).toBeLessThan(1)
})
