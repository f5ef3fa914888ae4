/** The answer behind a result. */
export interface ApiResponse {
  /** The HTTP status. */
  readonly status: number
  /** Of the answer. */
  readonly headers: Headers
  /** `X-Request-Id`: names the request in the service's logs. */
  readonly requestId: string | undefined
  /** Attempts made, the successful one included. */
  readonly attempts: number
  /**
   * The answer's body with its envelope: what the contract does not show, such as how a list goes on, is found
   * here under the names that the service gives it. It is not printed with the rest.
   */
  readonly envelope: Readonly<Record<string, unknown>>
}

/** A result with the answer that it came in. */
export interface WithResponse<T> {
  /** With the envelope off. */
  readonly data: T
  /** Status, headers, request id, attempts. */
  readonly response: ApiResponse
}

/**
 * The result of a call. Awaited, it is the data with the envelope off; {@link withResponse} also tells status,
 * headers, request id and attempts.
 *
 * @example
 * const { data, response } = await client.sessions.retrieve(id).withResponse()
 * console.log(response.requestId)
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #outcome: Promise<WithResponse<T>>

  /** @internal */
  constructor(outcome: Promise<WithResponse<T>>) {
    // The base promise is never looked at: every way to the result goes through `then`.
    super(ignore)
    this.#outcome = outcome
  }

  /** What `then` and `catch` return is an ordinary promise. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  /** As of any promise: the data, with the envelope off. */
  // biome-ignore lint/suspicious/noThenProperty: this is a promise
  override then<Result = T, Failure = never>(
    onFulfilled?: ((value: T) => Result | PromiseLike<Result>) | null,
    onRejected?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.#outcome.then(dataOf<T>).then(onFulfilled, onRejected)
  }

  /**
   * As of any promise.
   */
  override catch<Failure = never>(
    onRejected?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<T | Failure> {
    return this.then(undefined, onRejected)
  }

  /**
   * As of any promise.
   */
  override finally(onFinally?: (() => void) | null): Promise<T> {
    return this.#outcome.then(dataOf<T>).finally(onFinally)
  }

  /**
   * The data together with the answer that it came in.
   *
   * @see service contract, section 2.1
   *
   * @example
   * const { data, response } = await client.sessions.list().withResponse()
   * console.log(data.length, response.status, response.attempts)
   */
  withResponse(): Promise<WithResponse<T>> {
    return this.#outcome
  }
}

const ignore = () => {}
const dataOf = <T>(outcome: WithResponse<T>): T => outcome.data
