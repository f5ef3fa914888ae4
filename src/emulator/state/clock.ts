import { EmulatorError } from '../../errors/sdk-error.ts'

/** The emulator's time: a source that can be moved forward. */
export class Clock {
  readonly #source: () => Date
  #offsetMs = 0

  constructor(source: () => Date) {
    this.#source = source
  }

  now(): Date {
    return new Date(this.#source().getTime() + this.#offsetMs)
  }

  advance(ms: number): void {
    if (!Number.isFinite(ms) || ms < 0)
      throw new EmulatorError({ message: `clock.advance: ms must be a number, 0 or more, not ${ms}` })
    this.#offsetMs += ms
  }
}
