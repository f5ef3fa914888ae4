import type { Endpoint } from '../contract/endpoint.ts'
import { requestIdHeader } from '../contract/service.ts'
import { AbortedError, InvalidResponseError } from '../errors/call-errors.ts'
import { ConfigurationError, isSdkError, type SdkError } from '../errors/sdk-error.ts'
import { environment } from '../runtime/environment.ts'
import { Lazy } from '../runtime/lazy.ts'
import { realTiming, type Timing, timing } from '../runtime/timing.ts'
import { ApiPromise, type WithResponse } from './api-promise.ts'
import { Attempt, Deadline } from './attempt.ts'
import type { AuthProvider } from './auth.ts'
import type { RequestBody } from './body/body.ts'
import { type CallParams, createCall, type ImageRequestOptions } from './call.ts'
import { CallState } from './call-state.ts'
import { decodeEnvelope, type ResponseContext } from './envelope.ts'
import { Reporter } from './events.ts'
import { connectionError, deadlineError, finalError } from './final-error.ts'
import { type BaseUrl, parseBaseUrl } from './params/base-url.ts'
import { checkClientOptions } from './params/check-options.ts'
import type { ClientOptions } from './params/options.ts'
import { plainRequestId } from './redaction/request-id.ts'
import { RequestHeaders } from './request-headers.ts'
import { CallResponse } from './response.ts'
import { validateResponse } from './response-validation.ts'
import { RetryPolicy } from './retry-policy.ts'
import type { SpendGuard } from './spend/spend-guard.ts'
import { checkSpendLimit, type SpendLimit } from './spend/spend-limit.ts'
import { chooseTransport } from './transport/choose-transport.ts'
import { type Transport, type TransportResponse, UnreadableResponse } from './transport/transport.ts'

/** The setup of a client: the caller's options, and what differs between the APIs. */
export interface HttpSetup {
  readonly options: ClientOptions & { readonly [timing]?: Partial<Timing> }
  /** The environment variable that `baseUrl` defaults to. */
  readonly baseUrlVariable: string
  readonly auth: AuthProvider
  readonly spendLimit?: SpendLimit | undefined
}

/** The limits that the requests of one logical call share. */
export interface CallBudget {
  readonly maxRetries: number
  readonly deadline: Deadline
}

const defaultMaxResponseBytes = 32 * 1024 * 1024

/** Sends the requests that endpoints declare. */
export class HttpClient {
  readonly #options: ClientOptions
  readonly #base: BaseUrl
  readonly #auth: AuthProvider
  readonly #transport: Lazy<Transport>
  readonly #timing: Timing
  readonly #reporter: Reporter
  readonly #retries: RetryPolicy
  readonly #headers: RequestHeaders
  readonly #guard: Lazy<SpendGuard> | undefined
  /** The values of the caller's own headers. */
  readonly #ownSecrets: readonly string[]
  #closed = false

  /** @throws {ConfigurationError} */
  constructor({ options, baseUrlVariable, auth, spendLimit }: HttpSetup) {
    rejectBrowsers()
    checkClientOptions(options)
    this.#options = { ...options, headers: { ...options.headers } }
    this.#base = parseBaseUrl(options.baseUrl ?? environment(baseUrlVariable), baseUrlVariable)
    this.#auth = auth
    this.#headers = new RequestHeaders(this.#options.headers)
    this.#ownSecrets = Object.values(this.#options.headers ?? {})
    this.#transport = chooseTransport(options, this.#base.origin)
    this.#timing = { ...realTiming, ...options[timing] }
    this.#retries = new RetryPolicy(this.#options, this.#timing)
    this.#reporter = new Reporter(options.logger, options.onEvent)
    const limit = spendLimit && checkSpendLimit(spendLimit)
    this.#guard =
      limit &&
      new Lazy(async () => new (await import('./spend/spend-guard.ts')).SpendGuard(limit, this.#timing))
  }

  /** Sends one logical call: as many attempts as are needed and safe. */
  send<Response>(
    endpoint: Endpoint<unknown, unknown, Response>,
    params: CallParams,
    options: ImageRequestOptions = {},
  ): ApiPromise<Response> {
    return new ApiPromise(this.#send(endpoint, params, options) as Promise<WithResponse<Response>>)
  }

  /** The base URL without a trailing slash. */
  get baseUrl(): string {
    return this.#base.origin + this.#base.prefix
  }

  /** The clock of this client, for waits between calls. */
  get timing(): Timing {
    return this.#timing
  }

  /** Returns the retries and the time that one logical call has if it consists of several requests. */
  budgetFor(options: ImageRequestOptions): CallBudget {
    return { maxRetries: this.#retries.maxRetries(options), deadline: this.#deadlineFor(options) }
  }

  /** Closes the connection pool after the calls in progress. Later calls are rejected. */
  async close(): Promise<void> {
    this.#closed = true
    // If the transport could not be loaded, there is nothing to close. The call that needed it has failed.
    const transport = await Promise.resolve(this.#transport.loading).catch(() => undefined)
    await transport?.close()
  }

  async #send(
    endpoint: Endpoint,
    params: CallParams,
    options: ImageRequestOptions,
  ): Promise<WithResponse<unknown>> {
    if (this.#closed) throw new ConfigurationError('the client is closed: create a new one')
    const call = createCall(endpoint, params, options)
    const state = new CallState(call, this.#ownSecrets)
    const startedAt = this.#timing.now()
    try {
      const result = await this.#untilDone(state, this.#deadlineFor(options))
      state.reservation?.release()
      return result
    } catch (thrown) {
      const error = finalError(state, thrown)
      state.reservation?.release(error)
      if (this.#reporter.enabled)
        this.#reporter.report(state, 'error', { error, durationMs: this.#timing.now() - startedAt })
      throw error
    }
  }

  async #untilDone(state: CallState, deadline: Deadline): Promise<WithResponse<unknown>> {
    const { signal } = state.call.options
    for (;;) {
      if (signal?.aborted)
        throw new AbortedError(state, { mayHaveArrived: state.mayHaveExecuted, cause: signal.reason })
      state.startAttempt()
      let failure: unknown
      try {
        const result = await this.#attempt(state, deadline)
        this.#retries.succeeded(state)
        return result
      } catch (thrown) {
        failure = thrown
      }
      state.attemptFailed(failure)
      const delayMs = this.#retries.delayBefore(state, failure, deadline)
      if (delayMs === undefined) throw failure
      if (this.#reporter.enabled)
        this.#reporter.report(state, 'retry', { delayMs, error: failure as SdkError })
      await this.#timing.sleep(delayMs, signal)
      if (!signal?.aborted && deadline.leftMs <= 0) throw deadlineError(state, deadline, failure)
    }
  }

  /** Call, request, response, data: one attempt from end to end. */
  async #attempt(state: CallState, deadline: Deadline): Promise<WithResponse<unknown>> {
    const { call } = state
    const limits = { timeoutMs: this.#retries.timeoutMs(call), deadline, signal: call.options.signal }
    const attempt = new Attempt(state, limits, this.#timing)
    const startedAt = this.#timing.now()
    let body: RequestBody | undefined
    try {
      if (this.#guard && call.endpoint.billable) await this.#reserve(state, attempt, this.#guard)
      if (this.#reporter.enabled) this.#reporter.report(state, 'request')
      const auth = await attempt.raceAbort(this.#auth())
      state.authenticate(auth)
      const transport = await this.#transport.get()
      body = await attempt.raceAbort(call.body.open(state, transport), (late) => late.dispose?.())
      const request = {
        method: call.endpoint.method,
        origin: this.#base.origin,
        path: this.#base.prefix + call.path,
        headers: this.#headers.of(call, auth, body),
        body: body.data,
      }
      const response = await transport.send(request, attempt, this.#maxResponseBytes(call.endpoint))
      if (this.#reporter.enabled) this.#reportResponse(state, response, startedAt)
      return this.#read(state, response)
    } catch (thrown) {
      throw this.#failureOf(thrown, state, { attempt, body, startedAt })
    } finally {
      attempt.finish()
      body?.dispose?.()
    }
  }

  /** Reserves a slot of the spend limit, once a call. */
  async #reserve(state: CallState, attempt: Attempt, guard: Lazy<SpendGuard>): Promise<void> {
    const reserving = async () => (await guard.get()).reserve(state)
    state.reservation ??= await attempt.raceAbort(reserving(), (late) => late.release(attempt.ended))
  }

  #read(state: CallState, response: TransportResponse): WithResponse<unknown> {
    const context = this.#context(state)
    const { data, envelope } = decodeEnvelope(response, context)
    const mode = this.#options.responseValidation ?? 'warn'
    const fields = validateResponse(data, response, context, mode)
    if (fields.length > 0) this.#reporter.warnOnce(state.operation, { fields })
    return { data, response: new CallResponse(response, envelope, state.attempts) }
  }

  /** Turns what an attempt threw into one of our errors. */
  #failureOf(
    thrown: unknown,
    state: CallState,
    { attempt, body, startedAt }: { attempt: Attempt; body: RequestBody | undefined; startedAt: number },
  ): unknown {
    if (attempt.ended) return attempt.ended
    if (isSdkError(thrown)) return thrown
    const fault = body?.fault?.()
    if (fault !== undefined) return fault
    if (thrown instanceof UnreadableResponse) return this.#unreadable(thrown, state, startedAt)
    return connectionError(state, thrown)
  }

  /** A response whose body cannot be read still has a status. */
  #unreadable(thrown: UnreadableResponse, state: CallState, startedAt: number): unknown {
    const { status, headers, message } = thrown
    const response = { status, headers, body: new Uint8Array() }
    if (this.#reporter.enabled) this.#reportResponse(state, response, startedAt)
    if (status >= 200 && status < 300) {
      const requestId = plainRequestId(headers.get(requestIdHeader), state)
      return new InvalidResponseError(message, state, { status, requestId, snippet: '' })
    }
    try {
      return decodeEnvelope(response, this.#context(state))
    } catch (error) {
      return error
    }
  }

  #context(state: CallState): ResponseContext {
    return { endpoint: state.call.endpoint, state, now: this.#timing.wallClock() }
  }

  #reportResponse(state: CallState, { status, headers }: TransportResponse, startedAt: number): void {
    const requestId = plainRequestId(headers.get(requestIdHeader), state)
    const durationMs = this.#timing.now() - startedAt
    this.#reporter.report(state, 'response', {
      status,
      durationMs,
      ...(requestId === undefined ? {} : { requestId }),
    })
  }

  #deadlineFor({ deadlineMs }: ImageRequestOptions): Deadline {
    return new Deadline(deadlineMs ?? this.#options.deadlineMs, this.#timing.now)
  }

  #maxResponseBytes({ maxResponseBytes }: Endpoint): number {
    return maxResponseBytes ?? this.#options.maxResponseBytes ?? defaultMaxResponseBytes
  }
}

function rejectBrowsers(): void {
  const page = globalThis as { window?: { document?: unknown }; document?: unknown }
  if (page.window !== undefined && (page.window.document ?? page.document) !== undefined) {
    throw new ConfigurationError('this client uses server credentials and must not run in a browser page')
  }
}
