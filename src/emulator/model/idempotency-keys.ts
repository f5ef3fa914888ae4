import type { EmulatorResponse } from './response.ts'
import type { Saved } from './saved.ts'
import { serviceError } from './service-error.ts'

interface KeyRecord {
  readonly fingerprint: string
  response?: EmulatorResponse
}

/** The reservation of a key by one request. */
export interface KeyReservation {
  /** The response to an earlier request with this key, if any. */
  readonly response: EmulatorResponse | undefined
  /** Stores the response for later requests with this key. */
  keep(response: EmulatorResponse): void
  /** Releases the key unless a response was stored. */
  release(): void
}

/**
 * Keys of requests that are in progress or were successful. Only successful responses are stored: a rejected request
 * changed nothing and cost nothing, so its key stays available for a corrected request.
 */
export class IdempotencyKeys {
  readonly #records: Map<string, KeyRecord>

  constructor(saved?: Saved<IdempotencyKeys>) {
    this.#records = new Map(saved)
  }

  /** Requests in progress are left out, because they end at this emulator. */
  save(): ReadonlyMap<string, Readonly<Required<KeyRecord>>> {
    return new Map(
      [...this.#records].flatMap(([key, { fingerprint, response }]) =>
        response === undefined ? [] : [[key, { fingerprint, response }]],
      ),
    )
  }

  /** Reserves a key. Throws `idempotency_key_reused` or `idempotency_in_progress` if that is not possible. */
  reserve(key: string, fingerprint: string): KeyReservation {
    const earlier = this.#records.get(key)
    if (earlier !== undefined && earlier.fingerprint !== fingerprint) throw serviceError('idempotency_key_reused')
    if (earlier !== undefined && earlier.response === undefined) throw serviceError('idempotency_in_progress')
    const record: KeyRecord = earlier ?? { fingerprint }
    this.#records.set(key, record)
    return {
      response: record.response,
      keep: (response) => {
        record.response = response
      },
      release: () => {
        if (record.response === undefined) this.#records.delete(key)
      },
    }
  }
}
