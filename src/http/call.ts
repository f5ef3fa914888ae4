import type { Endpoint, Method, Replay } from '../contract/endpoint.ts'
import type { CallFacts } from '../errors/call-errors.ts'
import { type CallBody, ImageBody, inOneOrder, jsonBody, noBody, type UploadProgress } from './body.ts'
import type { Grant } from './credentials.ts'
import { boundaryFor, newIdempotencyKey } from './idempotency.ts'
import { checkParams } from './params.ts'
import { fillPath, queryString } from './path.ts'
import { secretsOf } from './redact.ts'
import { checkRequestOptions, type RequestOptions } from './request-options.ts'

/** Where the parts of the params go. */
export interface CallArguments {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: object | undefined
  readonly body?: object | undefined
}

/** What a call with images may set for itself, beside the rest. */
export interface ImageRequestOptions extends RequestOptions {
  /**
   * How images travel: as files, which are streamed, or as base64 in JSON, which is a third larger.
   *
   * @default 'multipart'
   */
  readonly encoding?: 'multipart' | 'json' | undefined
  /** Hears how much of the request's body has gone out. An attempt that follows starts at zero again. */
  readonly onUploadProgress?: ((progress: UploadProgress) => void) | undefined
}

/** One logical call: what stays the same over its attempts, and what they have come to so far. */
export class Call implements CallFacts {
  readonly endpoint: Endpoint
  readonly options: ImageRequestOptions
  readonly operation: string
  readonly method: Method
  readonly replay: Replay
  /** Path and query, under the base URL's own path. */
  readonly path: string
  readonly body: CallBody
  readonly idempotencyKey: string | undefined
  attempts = 0
  retries = 0
  /** Whether an attempt went out and was never answered. */
  unclear = false
  /** When we stop asking what became of a request that is still at work. */
  inProgressUntil: number | undefined
  #grant: Grant = { headers: {}, secrets: [] }
  #boundary: Promise<string> | undefined
  readonly #given: CallArguments

  /** @throws {InvalidParamsError} */
  constructor(endpoint: Endpoint, given: CallArguments, options: ImageRequestOptions) {
    this.endpoint = endpoint
    this.options = options
    this.operation = endpoint.operation
    this.method = endpoint.method
    this.replay = endpoint.replay
    this.#given = given
    checkRequestOptions(options, this.operation)
    this.path = fillPath(endpoint.path, given.path ?? {}, this.operation) + queryString(given.query as Fields)
    checkParams(endpoint, given, this)
    const key = endpoint.method === 'GET' ? undefined : options.idempotencyKey
    this.idempotencyKey = key ?? (endpoint.billable ? newIdempotencyKey() : undefined)
    this.body = this.#bodyOf(given.body as Fields | undefined)
  }

  /** Credentials of the attempt at hand. */
  set grant(grant: Grant) {
    this.#grant = grant
  }

  /** The first attempt's credentials make the boundary, and it stays: a repeat is the same bytes. */
  readonly boundary = (): Promise<string> => {
    this.#boundary ??= boundaryFor(this.idempotencyKey ?? newIdempotencyKey(), this.#grant.secrets[0] ?? '')
    return this.#boundary
  }

  /** What no error and no log record of this call may show. */
  readonly secrets = (): readonly string[] => {
    const ids = Object.values(this.#given.path ?? {})
    return secretsOf({ query: this.#given.query, body: this.#given.body }, [...this.#grant.secrets, ...ids])
  }

  #bodyOf(body: Fields | undefined): CallBody {
    const { images } = this.endpoint
    if (images) {
      const { encoding = 'multipart', onUploadProgress } = this.options
      return new ImageBody({ params: body ?? {}, images, call: this, onUploadProgress }, encoding)
    }
    if (body === undefined) return noBody
    return jsonBody(this.endpoint.billable ? inOneOrder(body) : body, this)
  }
}

type Fields = Readonly<Record<string, unknown>>
