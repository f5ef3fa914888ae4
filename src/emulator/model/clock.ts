import { ConfigurationError, EmulatorError } from '../../errors/sdk-error.ts'
import type { Saved } from './saved.ts'

/** Leaves a margin for times that are derived from the current one, such as the next attempt of a webhook. */
const latestTime = Date.parse('9000-01-01T00:00:00.000Z')

/** The emulator's time: a source that can be moved forward. */
export class Clock {
  readonly #source: () => Date
  readonly #hasOwnSource: boolean
  #offsetMs = 0

  /**
   * @param source without it, the system clock
   * @param saved `now`: the time at which the snapshot was taken
   */
  constructor(source: (() => Date) | undefined, saved?: Saved<Clock> & { readonly now: Date }) {
    this.#source = source === undefined ? () => new Date() : () => asDate(source())
    this.#hasOwnSource = source !== undefined
    if (saved === undefined) return
    // The system clock went on in the meantime, as the clocks of the apps did that compare times with the emulator's.
    // Any other source may be at any time, so that the emulator goes on where it was.
    const isSystemClock = !saved.hasOwnSource && !this.#hasOwnSource
    this.#offsetMs = isSystemClock ? saved.offsetMs : saved.now.getTime() - this.#source().getTime()
  }

  save() {
    return { offsetMs: this.#offsetMs, hasOwnSource: this.#hasOwnSource }
  }

  now(): Date {
    return new Date(this.#source().getTime() + this.#offsetMs)
  }

  advance(ms: number): void {
    if (!Number.isFinite(ms) || ms < 0)
      throw new EmulatorError({ message: `clock.advance: ms must be a number, 0 or more, not ${ms}` })
    if (this.now().getTime() + ms > latestTime)
      throw new EmulatorError({ message: 'clock.advance: the time must not be later than the year 9000' })
    this.#offsetMs += ms
  }
}

/** Accepts milliseconds since the epoch too, because programs without types pass `Date.now`. */
function asDate(time: unknown): Date {
  const date = new Date(time instanceof Date ? time : Number(time))
  if (!Number.isNaN(date.getTime())) return date
  throw new ConfigurationError({ message: 'createEmulator: clock must return a valid Date' })
}
