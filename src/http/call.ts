import { hmacSha256Hex, randomUUID } from '#platform'
import type { Endpoint, Method, Replay } from '../contract/endpoint.ts'
import { type CallFacts, InvalidParamsError } from '../errors/call-errors.ts'
import { type BodySource, jsonBody, noBody, type UploadProgress } from './body/body.ts'
import { ImageBody } from './body/image-body.ts'
import { toJson } from './body/json.ts'
import type { AuthHeaders } from './credentials.ts'
import { resolveAliases } from './params/aliases.ts'
import { checkRequestOptions, type RequestOptions } from './params/options.ts'
import { fillPath, queryString } from './params/path.ts'
import { checkParams } from './params/validation.ts'
import { secretsOf } from './redaction/redact.ts'
import type { SpendReservation } from './spend/spend-limit.ts'

/** Where the parts of the params go. */
export interface CallArguments {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: object | undefined
  readonly body?: object | undefined
  /** Sent as the `Authorization` of this call alone, and as secret as it is. */
  readonly authorization?: string
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
  readonly body: BodySource
  readonly idempotencyKey: string | undefined
  attempts = 0
  retries = 0
  /** Whether an attempt went out and was never answered. */
  unclear = false
  /** Whether an answer so far left open if the work was done, as a 504 does. */
  undecided = false
  /** What a spend limit let it go by. */
  admission: SpendReservation | undefined
  /** When we stop asking what became of a request that is still at work. */
  inProgressUntil: number | undefined
  #id: string | undefined
  #key = ''
  /** Those of the client, and of its attempts so far. */
  #credentials: readonly string[]
  #secrets: readonly string[] | undefined
  #boundary: string | Promise<string> | undefined
  readonly #given: CallArguments

  /**
   * @param secrets of the client: what its own headers hold
   * @throws {InvalidParamsError}
   */
  constructor(
    endpoint: Endpoint,
    given: CallArguments,
    options: ImageRequestOptions,
    secrets: readonly string[] = [],
  ) {
    this.#credentials = secrets
    this.endpoint = endpoint
    this.options = options.headers ? { ...options, headers: { ...options.headers } } : options
    this.operation = endpoint.operation
    this.method = endpoint.method
    this.replay = endpoint.replay
    checkRequestOptions(options, this.operation)
    const key = endpoint.method === 'GET' ? undefined : options.idempotencyKey
    this.idempotencyKey = key ?? (endpoint.billable ? randomUUID() : undefined)
    const path = fillPath(endpoint.path, given.path ?? {}, this)
    const body = resolveAliases(endpoint, given.body, this)
    this.#given = { ...given, body }
    checkParams(endpoint, this.#given, this)
    this.path = path + queryString(given.query as Fields | undefined, this)
    this.body = this.#bodyOf(body as Fields | undefined)
  }

  /** Tells the events of this call from those of others; made where somebody listens. */
  get id(): string {
    this.#id ??= randomUUID()
    return this.#id
  }

  /** Credentials of the attempt at hand. */
  set grant({ secrets }: AuthHeaders) {
    this.#key = secrets[0] ?? ''
    this.#credentials = [...this.#credentials, ...secrets]
    this.#secrets = undefined
  }

  /**
   * The boundary of a multipart body. The same idempotency key gives the same one, in this process or another, so that
   * a repeat is the same bytes; and whoever supplies an image cannot know it. It stays what the first attempt's
   * credentials made it.
   */
  readonly boundary = async (): Promise<string> => {
    this.#boundary ??= hmacSha256Hex(this.#key, '', this.idempotencyKey ?? randomUUID())
    return this.#boundary
  }

  /** Whether an attempt so far may have been carried out. */
  get mayHaveArrived(): boolean {
    return this.unclear || this.undecided
  }

  get authorization(): Readonly<Record<string, string>> | undefined {
    const { authorization } = this.#given
    return authorization === undefined ? undefined : { authorization }
  }

  /** What no error and no log record of this call may show. */
  readonly secrets = (): readonly string[] => {
    this.#secrets ??= this.#allSecrets()
    return this.#secrets
  }

  #allSecrets(): readonly string[] {
    const { path, query, body, authorization = '' } = this.#given
    const headers = Object.values(this.options.headers ?? {})
    const carried = [path, query, body, this.body.beginnings]
    return secretsOf(carried, [...this.#credentials, ...headers, ...authorization.split(' ')])
  }

  #bodyOf(body: Fields | undefined): BodySource {
    const { images } = this.endpoint
    if (images) {
      const { encoding = 'multipart', onUploadProgress } = this.options
      if (encoding !== 'multipart' && encoding !== 'json') {
        throw new InvalidParamsError([{ path: 'encoding', message: "must be 'multipart' or 'json'" }], this)
      }
      if (onUploadProgress !== undefined && typeof onUploadProgress !== 'function') {
        throw new InvalidParamsError([{ path: 'onUploadProgress', message: 'must be a function' }], this)
      }
      return new ImageBody({ params: body ?? {}, images, encoding, call: this, onUploadProgress })
    }
    if (body === undefined) return noBody
    return jsonBody(toJson(body, this))
  }
}

type Fields = Readonly<Record<string, unknown>>
