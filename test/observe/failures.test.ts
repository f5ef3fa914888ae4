import { expect, it, vi } from 'vitest'
import { Stream } from '../../src/observe/stream.ts'
import { manualClock } from '../support/timing.ts'

/** A log without a logger and `onError`, and the lines that it wrote. */
function aLog() {
  const clock = manualClock()
  const print = vi.spyOn(console, 'error').mockReturnValue()
  const log = new Stream({ observation: {}, timing: clock.timing })
  return { log, clock, lines: () => print.mock.calls.map(([line]) => String(line)) }
}

const error = new Error('no')

it('remembers a bounded number of reasons: the others share one limit', () => {
  const { log, lines } = aLog()
  for (let i = 0; i < 1_000; i++) log.failed({ what: 'a sign-in', error, reason: `reason_${i}` })
  expect(lines()).toHaveLength(65)
})

class DriverError extends Error {
  readonly code = 'ECONNREFUSED'
  readonly detail = 'Key (email)=(ada@example.com) already exists'
}

it.each([
  ['an error without a message', { stack: 'none' }, 'object'],
  ['a string', 'ada@example.com', 'string'],
  ['undefined', undefined, 'undefined'],
  ['an error with a code', new DriverError('refused'), 'DriverError (ECONNREFUSED): refused'],
  ['a code that is not a plain word', Object.assign(new Error('x'), { code: 'a b' }), 'Error: x'],
  ['a cause', new Error('x', { cause: new DriverError('ada') }), 'Error: x [cause: DriverError (ECONNREFUSED)]'],
  ['a cause that is not an error', new Error('x', { cause: 'ada' }), 'Error: x [cause: string]'],
])('describes %s without properties that may contain personal data', (_, thrown, text) => {
  const { log, lines } = aLog()
  log.failed({ what: 'the sign-in', error: thrown })
  expect(lines().map((line) => line.split('\n')[0])).toEqual([`identity-service-sdk: the sign-in failed: ${text}`])
  expect(lines().join()).not.toMatch(/ada/)
})

it('writes the message once, also if it has several lines', () => {
  const { log, lines } = aLog()
  log.failed({ what: 'the sign-in', error: new Error('first\n    at second') })
  expect(
    lines()
      .join()
      .match(/second/g),
  ).toHaveLength(1)
})
