import type { EmulatorResponse } from '../server/response.ts'
import { serviceError } from '../server/service-error.ts'

interface Use {
  readonly fingerprint: string
  answer?: EmulatorResponse
}

/** One request's hold on its key. */
export interface KeyReservation {
  /** The answer of an earlier request under this key. */
  readonly response: EmulatorResponse | undefined
  /** Keeps the answer for every later request under this key. */
  keep(answer: EmulatorResponse): void
  /** Frees the key, unless an answer was kept. */
  release(): void
}

/**
 * Keys that are running or were answered. Only what was carried out is kept, that is a 2xx: a refusal changed
 * nothing and cost nothing, so it leaves its key free for the corrected request.
 */
export class IdempotencyKeys {
  readonly #uses = new Map<string, Use>()

  /** Throws `idempotency_key_reused` or `idempotency_in_progress`. */
  reserve(key: string, fingerprint: string): KeyReservation {
    const earlier = this.#uses.get(key)
    if (earlier !== undefined && earlier.fingerprint !== fingerprint)
      throw serviceError('idempotency_key_reused')
    if (earlier !== undefined && earlier.answer === undefined) throw serviceError('idempotency_in_progress')
    const use: Use = earlier ?? { fingerprint }
    this.#uses.set(key, use)
    return {
      response: use.answer,
      keep: (answer) => {
        use.answer = answer
      },
      release: () => {
        if (use.answer === undefined) this.#uses.delete(key)
      },
    }
  }
}
