import type { RecordedRequest } from './recorded-request.ts'

/** Tells of each request once it is over: answered, reset or given up. Outlives a reset. */
export class RequestFeed {
  readonly #listeners = new Set<(request: RecordedRequest) => void>()

  /** @returns ends it */
  subscribe(listener: (request: RecordedRequest) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  tell(request: RecordedRequest): void {
    for (const listener of this.#listeners) {
      try {
        listener(request)
      } catch (error) {
        // A mistake of the listener must be seen, and must not become the answer to somebody's request.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
