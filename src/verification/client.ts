import { apiKeyHeader } from '../contract/service.ts'
import { verificationEndpoints } from '../contract/verification/endpoints.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import type { ApiPromise } from '../http/exchange/api-promise.ts'
import type { AuthHeaders, AuthProvider } from '../http/exchange/request-headers.ts'
import { HttpClient } from '../http/http-client.ts'
import { changedOptions, type OptionChanges } from '../http/params/option-changes.ts'
import {
  type BeforeBillable,
  type ClientOptions,
  clientOptionRules,
  type RequestOptions,
} from '../http/params/options.ts'
import { credentialFault } from '../http/params/params.ts'
import { type QueryOf, type RawQuery, type RawRequest, rawRequest } from '../http/raw-request.ts'
import { nameApplication, ServiceClient } from '../http/service-client.ts'
import { passOn } from '../observe/observation.ts'
import { aFunction, checkOptions, joinRules, oneOfTexts } from '../options/rules.ts'
import { readSetting } from '../options/settings.ts'
import { PrivateMembers } from '../runtime/public-class.ts'
import { type Checks, createChecks } from './checks.ts'
import { type Credentials, createCredentials } from './credentials.ts'
import { createAntispoof, createFaceUniqueness, type Experimental } from './experimental.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createWorkflows } from './workflows.ts'

/** Options of a verification client, in addition to those of every client. */
export interface VerificationOptions {
  /**
   * The application's API key. It never leaves the server and is never logged. A function is called before each
   * attempt, so that keys can rotate.
   *
   * @default env `SVC_API_KEY`
   */
  readonly apiKey?: string | (() => string | Promise<string>) | undefined
  /**
   * How the key is sent: `'api-key'` as `X-API-Key`, `'bearer'` as `Authorization: Bearer`.
   *
   * @default 'api-key'
   */
  readonly auth?: 'api-key' | 'bearer' | undefined
  /**
   * Runs once before a call that may be charged, and stops it by throwing or rejecting: nothing is sent then. What it
   * returns has no effect. It runs for billable methods, and for each `request` that is not a GET, unless the path is
   * that of a method that is not billable.
   *
   * The client's retries do not run it again. A call that you make again does, and so does a billable call inside of it.
   * `idempotencyKey` is that of the call, so that you can skip a key that you have counted. It counts toward `deadlineMs`. Without a deadline, it may take `timeoutMs`.
   *
   * @default none
   * @throws {SpendLimitError} from a call that it stops
   *
   * @example
   * const budgeted = client.withOptions({
   *   beforeBillable: ({ spendKey }) => limiter.consume(spendKey ?? 'all'),
   * })
   * await budgeted.checks.age({ dob: '1990-01-01', bands: [18] }, { spendKey: 'user-42' })
   */
  readonly beforeBillable?: BeforeBillable | undefined
}

/** Client options. The constructor reads them once. Later changes to the object have no effect. */
export type VerificationClientOptions = VerificationOptions & ClientOptions

const optionRules = /* @__PURE__ */ joinRules(clientOptionRules, {
  apiKey: true,
  auth: /* @__PURE__ */ oneOfTexts(['api-key', 'bearer']),
  beforeBillable: aFunction,
})

const internals = /* @__PURE__ */ new PrivateMembers<
  VerificationClient,
  { options: VerificationClientOptions; http: HttpClient }
>()

/**
 * Client of the verification API: hosted sessions, standalone checks and licenses. Use it only on a server, because the
 * API key must not reach a browser.
 *
 * @throws {ConfigurationError} from the constructor, if the key is missing, the base URL is not https or an option is
 *   invalid
 *
 * @example
 * const client = new VerificationClient({ baseUrl: 'https://id.example.com', apiKey: process.env.KEY })
 * const session = await client.sessions.create({ workflow_id: 'wf_1' })
 */
export class VerificationClient extends ServiceClient {
  /** Sessions: hosted verifications. */
  readonly sessions: Sessions
  /** Standalone checks with an immediate result. */
  readonly checks: Checks
  /** The licenses that can be checked. */
  readonly credentials: Credentials
  /**
   * What the contract does not confirm. It is outside of semantic versioning (docs/reference/versioning.md).
   * @experimental
   */
  readonly experimental: Experimental

  constructor(options?: VerificationClientOptions)
  // `from` is that of the client that `withOptions` was called on.
  constructor(options: VerificationClientOptions = {}, from?: HttpClient) {
    checkOptions('VerificationClient', options, optionRules)
    const owner = from ? 'withOptions' : 'VerificationClient'
    const apiKey = readSetting(owner, 'apiKey', 'SVC_API_KEY', options.apiKey)
    const auth = authProvider(owner, apiKey, options)
    const http = new HttpClient({
      owner,
      options,
      baseUrlVariable: 'SVC_BASE_URL',
      auth,
      sendsCredentials: true,
      beforeBillable: options.beforeBillable,
      from,
    })
    super(http)
    internals.set(this, { options: { ...options, apiKey }, http })
    passOn(this, options)
    nameApplication(this, http.baseUrl)
    this.sessions = createSessions(http)
    this.checks = createChecks(http)
    this.credentials = createCredentials(http)
    this.experimental = {
      workflows: createWorkflows(http),
      antispoof: createAntispoof(http),
      faceUniqueness: createFaceUniqueness(http),
    }
  }

  /**
   * Calls a path that has no method of its own, with the same errors and retries. If the path belongs to a
   * method, the call is that operation, with its charges and retries.
   *
   * @throws {ApiError} the service responded with an error
   * @throws {InvalidParamsError} `path` is not an encoded path, or the params do not fit the operation
   *
   * @example
   * const data = await client.request<{ total: number }>({ method: 'GET', path: '/api/v2/usage' })
   */
  request<T = unknown, Query extends QueryOf<Query> = RawQuery>(
    request: RawRequest<Query>,
    options?: RequestOptions,
  ): ApiPromise<T> {
    return rawRequest<T>(
      internals.of(this).http,
      { operation: 'request', declared: verificationEndpoints },
      request,
      options,
    )
  }

  /**
   * Creates a client with other options. Both clients share the connection pool and the retry budget, and the new one
   * sends the `headers` of both. What is `undefined` in `changes` is not changed.
   *
   * @param changes all options except those of the pool (`baseUrl`, `fetch`, `dispatcher`, `connections`, `http2`)
   * @throws {ConfigurationError} an option is invalid, or one that the clients share
   *
   * @example
   * const patient = client.withOptions({ deadlineMs: 120_000, maxRetries: 5 })
   * const session = await patient.sessions.create({ workflow_id: 'wf_1' })
   */
  withOptions(changes: OptionChanges<VerificationClientOptions>): VerificationClient {
    const { options, http } = internals.of(this)
    return create(changedOptions(options, changes, optionRules), http)
  }
}

/** Outside of the class, because esbuild renames a class that refers to itself. */
const create = (...args: readonly [options: VerificationClientOptions, from: HttpClient]): VerificationClient =>
  Reflect.construct(VerificationClient, args)

type ApiKey = NonNullable<VerificationClientOptions['apiKey']>

function authProvider(
  owner: string,
  apiKey: ApiKey,
  { auth = 'api-key', errorDetail }: VerificationClientOptions,
): AuthProvider {
  const headersFor = (reader: string, key: unknown): AuthHeaders => {
    const fault = credentialFault(key)
    if (fault) throw new ConfigurationError({ message: `${reader}: apiKey must ${fault}` })
    const sent = key as string
    const headers = auth === 'bearer' ? { authorization: `Bearer ${sent}` } : { [apiKeyHeader]: sent }
    return { headers, secrets: [sent] }
  }
  if (typeof apiKey !== 'function') {
    const fixed = headersFor(owner, apiKey)
    return () => fixed
  }
  return async (operation) => {
    let key: string
    try {
      key = await apiKey()
    } catch (thrown) {
      throw new ConfigurationError({
        message: `${operation}: the apiKey function threw an error: see cause`,
        cause: thrown,
        errorDetail,
      })
    }
    return headersFor(operation, key)
  }
}
