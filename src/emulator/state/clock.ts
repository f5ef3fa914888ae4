import { EmulatorError } from '../emulator-error.ts'

/** The only time that the emulator knows. */
export class Clock {
  readonly #source: () => Date
  #aheadMs = 0

  constructor(source: () => Date) {
    this.#source = source
  }

  now(): Date {
    return new Date(this.#source().getTime() + this.#aheadMs)
  }

  advance(ms: number): void {
    if (!Number.isFinite(ms) || ms < 0) throw new EmulatorError('clock.advance takes milliseconds, 0 or more')
    this.#aheadMs += ms
  }
}
