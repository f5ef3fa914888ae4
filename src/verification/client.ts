import { apiKeyHeader } from '../contract/service.ts'
import { verificationEndpoints } from '../contract/verification/endpoints.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { AuthHeaders, AuthProvider as Proof } from '../http/credentials.ts'
import { HttpClient } from '../http/http-client.ts'
import { type ClientOptions, fitsHeader, type RequestOptions } from '../http/params/options.ts'
import { type RawRequest, rawRequest } from '../http/raw-request.ts'
import type { SpendLimit } from '../http/spend/spend-limit.ts'
import { environment } from '../runtime/environment.ts'
import { Checks } from './checks.ts'
import { Credentials } from './credentials.ts'
import { Antispoof, FaceUniqueness } from './experimental.ts'
import { Sessions } from './sessions.ts'
import { Workflows } from './workflows.ts'

/** Read once, by the constructor. Later changes to the object have no effect. */
export interface VerificationClientOptions extends ClientOptions {
  /**
   * The application's key; it never leaves the server and is never logged. A function is asked before each
   * attempt, so keys can rotate.
   *
   * @default env `SVC_API_KEY`
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined
  /**
   * Carries the key as `X-API-Key`, or as `Authorization: Bearer`.
   *
   * @default 'api-key'
   */
  readonly auth?: 'api-key' | 'bearer' | undefined
  /**
   * Stops billable calls before they are sent, once `calls` of them were made within `perMs`; after a 402 they are
   * held back as well, but for one now and then that tries. A call that could not be sent does not count, and a
   * repeat under a key of yours does.
   *
   * @default none
   * @throws {SpendLimitError} from a call that is held back
   * @throws {StoreError} from a call, when the store of the limit fails: nothing is sent then
   */
  readonly spendLimit?: SpendLimit | undefined
  /**
   * Where workflows are kept, if not at the inferred path.
   *
   * @default '/api/v2/workflows'
   * @experimental
   */
  readonly workflowsPath?: string | undefined
}

/**
 * Verifies people: hosted sessions, single checks, licences. For servers only: the API key must not reach a
 * browser.
 *
 * @throws {ConfigurationError} from the constructor: a missing key, a base URL that is not https, a bad option
 * @see service contract, sections 2 to 4
 *
 * @example
 * const client = new VerificationClient({ baseUrl: 'https://id.example.com', apiKey: process.env.KEY })
 * const session = await client.sessions.create({ workflow_id: 'wf_1' })
 */
export class VerificationClient {
  /** Hosted verifications. */
  readonly sessions: Sessions
  /** Single checks, answered at once. */
  readonly checks: Checks
  /** What licences can be checked. */
  readonly credentials: Credentials
  /** Workflows as records. @experimental */
  readonly workflows: Workflows
  /** Presentation-attack checks. @experimental */
  readonly antispoof: Antispoof
  /** Enrolled faces. @experimental */
  readonly faceUniqueness: FaceUniqueness
  readonly #http: HttpClient

  constructor(options: VerificationClientOptions = {}) {
    const credentials = keyBearer(options)
    const { spendLimit } = options
    this.#http = new HttpClient({ options, baseUrlVariable: 'SVC_BASE_URL', auth: credentials, spendLimit })
    this.sessions = new Sessions(this.#http)
    this.checks = new Checks(this.#http)
    this.credentials = new Credentials(this.#http)
    this.workflows = new Workflows(this.#http, options.workflowsPath)
    this.antispoof = new Antispoof(this.#http)
    this.faceUniqueness = new FaceUniqueness(this.#http)
  }

  /**
   * Calls a path that has no method here, with the same envelope, errors and retries. A path that has one is
   * that operation, its charges and retries included.
   *
   * @throws {ApiError} what the service answers
   * @throws {InvalidParamsError} a path that is more than a path
   * @see service contract, sections 2.1 and 4.6
   *
   * @example
   * const data = await client.request<{ total: number }>({ method: 'GET', path: '/api/v2/usage' })
   */
  request<T = unknown>(request: RawRequest, options?: RequestOptions): ApiPromise<T> {
    return rawRequest<T>(this.#http, verificationEndpoints, request, options)
  }

  /**
   * Closes the connection pool. Nobody needs it for the process to exit by itself.
   *
   * @example
   * await client.close()
   */
  close(): Promise<void> {
    return this.#http.close()
  }
}

function keyBearer({
  apiKey = environment('SVC_API_KEY'),
  auth = 'api-key',
}: VerificationClientOptions): Proof {
  if (auth !== 'api-key' && auth !== 'bearer')
    throw new ConfigurationError("auth must be 'api-key' or 'bearer'")
  const grantOf = (key: unknown): AuthHeaders => {
    if (typeof key !== 'string' || !fitsHeader(key)) {
      throw new ConfigurationError(
        'apiKey must be a non-empty string without spaces around it or line breaks',
      )
    }
    const headers = auth === 'bearer' ? { authorization: `Bearer ${key}` } : { [apiKeyHeader]: key }
    return { headers, secrets: [key] }
  }
  if (apiKey === undefined) throw new ConfigurationError('apiKey is missing: pass it, or set SVC_API_KEY')
  if (typeof apiKey !== 'function') {
    const grant = grantOf(apiKey)
    return () => grant
  }
  return async () => {
    let key: string
    try {
      key = await apiKey()
    } catch (thrown) {
      throw new ConfigurationError('the apiKey function failed', thrown)
    }
    return grantOf(key)
  }
}
