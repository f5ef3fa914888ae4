import type { Endpoint } from '../../contract/endpoint.ts'
import { InvalidResponseError } from '../../errors/call-errors.ts'

/** The response that a result comes from. */
export interface ApiResponse {
  /** The HTTP status. */
  readonly status: number
  /** The response headers. */
  readonly headers: Headers
  /** `X-Request-Id`, which identifies the request in the service's logs. */
  readonly requestId: string | undefined
  /** Number of attempts, including the successful one. */
  readonly attempts: number
  /**
   * The whole body, with its envelope. Members next to `data` are here under the names that the service uses. It is not
   * logged together with the other fields.
   */
  readonly envelope: Readonly<Record<string, unknown>>
}

/** A result with the response that it comes from. */
export interface WithResponse<T> {
  /** The data, with the envelope removed. */
  readonly data: T
  /** Status, headers, request id and attempts. */
  readonly response: ApiResponse
}

/**
 * The result of a call. `await` gives the data, with the envelope removed. {@link withResponse} also gives the status,
 * headers, request id and number of attempts.
 *
 * @example
 * const { data, response } = await client.sessions.retrieve(id).withResponse()
 * console.log(response.requestId)
 */
export interface ApiPromise<T> extends Promise<T> {
  /**
   * Returns the data together with the response that it comes from.
   *
   * @example
   * const { data, response } = await client.sessions.list().withResponse()
   * console.log(data.length, response.status, response.attempts)
   */
  withResponse(): Promise<WithResponse<T>>
}

/**
 * The result of a call that lists: `await` gives what the service returned, and `for await` its items.
 *
 * @example
 * for await (const session of client.sessions.list({ status: 'IN_REVIEW' })) console.log(session.session_id)
 */
export interface ListPromise<T, Item = ItemOf<T>> extends ApiPromise<T>, AsyncIterable<Item> {}

/** An item of what a list returns: an array, or the object of `members.list`. */
type ItemOf<T> = T extends readonly (infer Each)[] ? Each : T extends WithMembers<infer Each> ? Each : never

interface WithMembers<Each> {
  readonly members: readonly Each[]
}

/** The promise that the clients return. */
export class CallPromise<T> extends Promise<T> implements ApiPromise<T> {
  /** What `then` returns has no response. */
  static override get [Symbol.species]() {
    return Promise
  }

  readonly #outcome: Promise<WithResponse<T>>
  #isAwaited = false
  #isSettled = false

  constructor(outcome: Promise<WithResponse<T>>) {
    let resolve: (data: T) => void = ignore
    let reject: (error: unknown) => void = ignore
    // It is settled too, for hosts and test runners, which read a promise without its `then`.
    super((onData, onError) => {
      resolve = onData
      reject = onError
    })
    // The one reaction of the outcome, because V8 finds the code that waits only by a chain of promises without branches.
    this.#outcome = outcome.then(
      (result) => {
        this.#isSettled = true
        resolve(result.data)
        return result
      },
      (error) => {
        this.#isSettled = true
        reject(error)
        // If nobody waits here, this promise alone reports a failure that nobody handles.
        if (this.#isAwaited) throw error
        return undefined as never
      },
    )
  }

  // biome-ignore lint/suspicious/noThenProperty: this is a promise
  override then<Result = T, Failure = never>(
    onFulfilled?: ((value: T) => Result | PromiseLike<Result>) | null,
    onRejected?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    if (this.#isSettled) return super.then(onFulfilled, onRejected)
    return this.#awaited()
      .then(({ data }) => data)
      .then(onFulfilled, onRejected)
  }

  withResponse(): Promise<WithResponse<T>> {
    return this.#isSettled ? super.then(() => this.#outcome) : this.#awaited().then(itself)
  }

  #awaited(): Promise<WithResponse<T>> {
    this.#isAwaited = true
    super.then(undefined, ignore)
    return this.#outcome
  }
}

class ListCallPromise<T, Item> extends CallPromise<T> implements ListPromise<T, Item> {
  readonly #operation: string
  readonly #itemsOf: (data: T) => readonly Item[]

  constructor(operation: string, call: ApiPromise<T>, itemsOf: (data: T) => readonly Item[]) {
    super(call.withResponse())
    this.#operation = operation
    this.#itemsOf = itemsOf
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    const data = await this
    const items = data === null ? data : this.#itemsOf(data)
    if (Array.isArray(items)) return yield* items
    const operation = this.#operation
    throw new InvalidResponseError({ operation, message: `${operation}: the response contains no list` })
  }
}

/** Makes the result of a call iterable. @param itemsOf finds the items in data that is not null */
export function listPromise<T, Item = ItemOf<T>>(
  { operation }: Pick<Endpoint, 'operation'>,
  call: ApiPromise<T>,
  itemsOf = (data: T) => data as readonly Item[],
): ListPromise<T, Item> {
  return new ListCallPromise(operation, call, itemsOf)
}

const ignore = () => {}
/** So that a failure that nobody handles is reported. */
const itself = <T>(value: T): T => value
