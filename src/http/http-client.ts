import type { Endpoint } from '../contract/endpoint.ts'
import { invalidParam } from '../errors/call-errors.ts'
import type { ErrorDetail } from '../errors/error-detail.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { Stream } from '../observe/stream.ts'
import { type BaseUrl, parseBaseUrl, readSetting } from '../options/settings.ts'
import { environment, isServer } from '../runtime/environment.ts'
import type { Logger } from '../runtime/logger.ts'
import { isEmulatorHost } from '../runtime/secure-url.ts'
import { type Timing, timingOf } from '../runtime/timing.ts'
import { Deadline } from './attempts/attempt.ts'
import { CallRunner, type SharedParts } from './attempts/call-runner.ts'
import { defaultMaxRetries, RetryBudget } from './attempts/retry-policy.ts'
import type { UploadProgress } from './body/body.ts'
import { handleErrorEvent, imagesIn } from './body/image.ts'
import { type ApiPromise, CallPromise, type WithResponse } from './exchange/api-promise.ts'
import { type CallParams, createCall, type ImageRequestOptions } from './exchange/call.ts'
import { type AuthProvider, bearerHeader, nextToCredentials } from './exchange/request-headers.ts'
import type { BeforeBillable, ClientOptions } from './params/options.ts'
import { checkHeaders, readHeaders } from './params/params.ts'
import { chooseTransport } from './transport/choose-transport.ts'

/** The setup of a client: the caller's options, and what differs between the APIs. */
export interface HttpSetup {
  /** The class or the function that the caller passed the options to, for its errors. */
  readonly owner: string
  readonly options: ClientOptions
  /** The environment variable that `baseUrl` defaults to. */
  readonly baseUrlVariable: string
  readonly auth: AuthProvider
  /** True if `auth` returns headers with credentials. No access token may be sent next to them. */
  readonly sendsCredentials?: boolean
  readonly beforeBillable?: BeforeBillable | undefined
  /** That of the client that `withOptions` was called on. */
  readonly from?: HttpClient | undefined
}

/** The limits that the requests of one logical call share. */
export interface CallBudget {
  readonly maxRetries: number
  readonly deadline: Deadline
}

/** Sends the requests that endpoints declare. */
export class HttpClient {
  readonly #options: ClientOptions
  /** The caller's headers for every request. */
  readonly #headers: Readonly<Record<string, string>>
  readonly #shared: SharedParts
  readonly #isDerived: boolean
  readonly #timing: Timing
  /** True if each request carries the client's own credentials. */
  readonly sendsCredentials: boolean
  readonly #runner: CallRunner
  readonly #stream: Stream
  #closed = false

  /** @throws {ConfigurationError} */
  constructor({ owner, options, baseUrlVariable, auth, sendsCredentials = false, beforeBillable, from }: HttpSetup) {
    rejectBrowsers(owner)
    checkHeaders(owner, options.headers)
    const headers = readHeaders(options.headers ?? {})
    const token = sendsCredentials ? bearerHeader(headers) : undefined
    if (token !== undefined)
      throw new ConfigurationError({ message: `${owner}: headers.${token} ${nextToCredentials}` })
    this.sendsCredentials = sendsCredentials
    this.#isDerived = from !== undefined
    this.#timing = timingOf(options)
    this.#headers = from ? { ...from.#headers, ...headers } : headers
    // It inherits nothing that other code adds to the prototype of all objects later.
    this.#options = Object.assign(Object.create(null), options)
    const { onEvent } = options
    this.#stream = new Stream({ observation: this.#options, onEvent, timing: this.#timing })
    this.#shared = from ? from.#shared : this.#createShared(owner, options, baseUrlVariable)
    this.#runner = new CallRunner({
      options: this.#options,
      beforeBillable,
      headers: this.#headers,
      auth,
      timing: this.#timing,
      stream: this.#stream,
      shared: this.#shared,
    })
  }

  #createShared(owner: string, options: ClientOptions, baseUrlVariable: string): SharedParts {
    const address = readSetting(owner, 'baseUrl', baseUrlVariable, options.baseUrl)
    const base = parseBaseUrl(`${owner}: ${options.baseUrl === undefined ? baseUrlVariable : 'baseUrl'}`, address)
    if (environment('SVC_EMULATOR_ONLY') !== undefined) requireEmulatorHost(owner, base)
    const transport = chooseTransport(owner, options, base.origin)
    return { base, transport, budget: new RetryBudget(), warned: new Set(), isClosed: false }
  }

  /** Sends one logical call: as many attempts as are needed and safe. */
  send<Response>(
    endpoint: Endpoint<unknown, unknown, Response>,
    params: CallParams,
    options: ImageRequestOptions = {},
  ): ApiPromise<Response> {
    return new CallPromise(this.#call(endpoint, params, options) as Promise<WithResponse<Response>>)
  }

  /** The base URL without a trailing slash. */
  get baseUrl(): string {
    const { base } = this.#shared
    return base.origin + base.prefix
  }

  /** The clock of this client, for waits between calls. */
  get timing(): Timing {
    return this.#timing
  }

  /** Who receives log records. */
  get logger(): Logger | undefined {
    return this.#stream.logger
  }

  /** Whether the errors of this client show what others wrote. `undefined`: as the process says. */
  get errorDetail(): ErrorDetail | undefined {
    return this.#stream.errorDetail
  }

  /** Calls a hook of the caller. What it throws is logged, and never reaches the call. */
  callHook(name: string, hook: () => unknown): void {
    this.#stream.callHook(name, hook)
  }

  /** Returns the retries and the time that one logical call has if it consists of several requests. */
  budgetFor(options: ImageRequestOptions): CallBudget {
    const maxRetries = options.maxRetries ?? this.#options.maxRetries ?? defaultMaxRetries
    return { maxRetries, deadline: this.#deadlineFor(options) }
  }

  /** Rejects later calls. The pool belongs to the first client, which closes it after the calls in progress. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#isDerived) return
    this.#shared.isClosed = true
    await this.#shared.transport.close()
  }

  async #call(endpoint: Endpoint, params: CallParams, options: ImageRequestOptions): Promise<WithResponse<unknown>> {
    // Before anything can be rejected: a browser may leave before the caller responds to it.
    if (endpoint.images)
      for (const image of Object.values({ ...params.body }).flatMap(imagesIn)) handleErrorEvent(image)
    if (this.#closed || this.#shared.isClosed)
      throw new ConfigurationError({
        message: `${endpoint.operation}: the client is closed: create a new one`,
      })
    const call = createCall(endpoint, params, this.#withSafeHook(options), this.errorDetail)
    const token = this.sendsCredentials ? bearerHeader(call.headers) : undefined
    if (token !== undefined) throw invalidParam(endpoint.operation, `headers.${token}`, nextToCredentials)
    return this.#runner.run(call, this.#deadlineFor(options))
  }

  #withSafeHook(options: ImageRequestOptions): ImageRequestOptions {
    const { onUploadProgress: report } = options ?? {}
    if (typeof report !== 'function') return options
    const safe = (progress: UploadProgress) => this.callHook('onUploadProgress', () => report(progress))
    return { ...options, onUploadProgress: safe }
  }

  #deadlineFor({ deadlineMs }: ImageRequestOptions): Deadline {
    return new Deadline(deadlineMs ?? this.#options.deadlineMs, this.#timing.now)
  }
}

/** @throws {ConfigurationError} the host may be the real service, which a test must never reach */
function requireEmulatorHost(owner: string, { origin }: BaseUrl): void {
  const { hostname, host } = new URL(origin)
  if (isEmulatorHost(hostname)) return
  throw new ConfigurationError({
    message: `${owner}: ${host} is not on this machine, and SVC_EMULATOR_ONLY is set. Use the emulator, or unset the variable.`,
  })
}

function rejectBrowsers(owner: string): void {
  const page = globalThis as { window?: { document?: unknown }; document?: unknown }
  if (page.window !== undefined && (page.window.document ?? page.document) !== undefined && !isServer()) {
    throw new ConfigurationError({ message: `${owner}: ${browserMessage}` })
  }
}

// The advice is always given, because jsdom and happy-dom can take any user agent.
const browserMessage =
  'this client uses server credentials and must not run in a browser page. If this is a test with jsdom or happy-dom,' +
  " run it in the environment node. Jest: testEnvironment: 'node' in jest.config, or the docblock" +
  " /** @jest-environment node */ at the top of the file. Vitest: environment: 'node' in vitest.config, or the comment" +
  ' // @vitest-environment node at the top of the file.'
