/** One request that arrived. */
export interface RecordedRequest {
  /** What the answer's `X-Request-Id` says. */
  readonly requestId: string
  /** ISO 8601, by the emulator's clock. */
  readonly at: string
  /** The HTTP method. */
  readonly method: string
  /** With its query. */
  readonly path: string
  /** Names in lower case; values of credentials are masked. */
  readonly headers: Readonly<Record<string, string>>
  /** The operation that it reached, such as `checks.age`; missing for pages and unknown paths. */
  readonly operation?: string
  /** Missing where the request carried none. */
  readonly idempotencyKey?: string
  /** Bodies of text, up to 64 Ki characters. Images and forms are counted only. */
  readonly body?: string
  /** Size of the body in bytes. */
  readonly bytes: number
  /** Missing while it is being answered, and for good when the connection was reset or the caller gave up. */
  readonly status?: number
}
