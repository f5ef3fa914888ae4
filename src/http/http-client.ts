import type { Endpoint } from '../contract/endpoint.ts'
import { requestIdHeader } from '../contract/service.ts'
import { AbortedError, InvalidResponseError } from '../errors/call-errors.ts'
import { ConfigurationError, isSdkError, type SdkError } from '../errors/sdk-error.ts'
import { environment } from '../runtime/environment.ts'
import { Lazy } from '../runtime/lazy.ts'
import { realTiming, type Timing, timing } from '../runtime/timing.ts'
import { ApiPromise, type WithResponse } from './api-promise.ts'
import { Attempt, Deadline } from './attempt.ts'
import type { RequestBody } from './body/body.ts'
import { Call, type CallArguments, type ImageRequestOptions } from './call.ts'
import type { AuthProvider } from './credentials.ts'
import { decodeEnvelope, type ResponseContext, unexpectedShape } from './envelope.ts'
import { Reporter } from './events.ts'
import { connectionError, deadlineError, finalError } from './final-error.ts'
import { type BaseUrl, parseBaseUrl } from './params/base-url.ts'
import { type ClientOptions, checkClientOptions } from './params/options.ts'
import { issuePaths } from './params/validation.ts'
import { redactText } from './redaction/redact.ts'
import { plainRequestId } from './redaction/request-id.ts'
import { RequestHeaders } from './request-headers.ts'
import { CallResponse } from './response.ts'
import { isAmbiguous, mayHaveArrived } from './retry.ts'
import { RetryPolicy } from './retry-policy.ts'
import type { SpendGuard } from './spend/spend-guard.ts'
import { checkSpendLimit, type SpendLimit } from './spend/spend-limit.ts'
import { chooseTransport } from './transport/choose-transport.ts'
import { type Transport, type TransportResponse, UnreadableResponse } from './transport/transport.ts'

/** How a client is set up: the caller's options, and what its interface asks for. */
export interface HttpSetup {
  readonly options: ClientOptions & { readonly [timing]?: Partial<Timing> }
  /** The environment variable that stands in for `baseUrl`. */
  readonly baseUrlVariable: string
  readonly auth: AuthProvider
  readonly spendLimit?: SpendLimit | undefined
}

/** What is left to the parts of a logical call. */
export interface CallBudget {
  readonly maxRetries: number
  readonly deadline: Deadline
}

const defaultMaxResponseBytes = 32 * 1024 * 1024
/** Of an answer in another shape: more would only repeat the first. */
const mostIssues = 20

/** The only way out: sends what an endpoint declares, and tells what came of it. */
export class HttpClient {
  readonly #options: ClientOptions
  readonly #base: BaseUrl
  readonly #credentials: AuthProvider
  readonly #transport: Lazy<Transport>
  readonly #timing: Timing
  readonly #reporter: Reporter
  readonly #repeats: RetryPolicy
  readonly #headers: RequestHeaders
  readonly #guard: Lazy<SpendGuard> | undefined
  #closed = false

  /** @throws {ConfigurationError} */
  constructor({ options, baseUrlVariable, auth: credentials, spendLimit }: HttpSetup) {
    refuseBrowsers()
    checkClientOptions(options)
    this.#options = { ...options, headers: { ...options.headers } }
    this.#base = parseBaseUrl(options.baseUrl ?? environment(baseUrlVariable), baseUrlVariable)
    this.#credentials = credentials
    this.#headers = new RequestHeaders(this.#options.headers)
    this.#transport = chooseTransport(options, this.#base.origin)
    this.#timing = { ...realTiming, ...options[timing] }
    this.#repeats = new RetryPolicy(this.#options, this.#timing)
    this.#reporter = new Reporter(options.logger, options.onEvent)
    const limit = spendLimit && checkSpendLimit(spendLimit)
    this.#guard =
      limit &&
      new Lazy(async () => new (await import('./spend/spend-guard.ts')).SpendGuard(limit, this.#timing))
  }

  /** Sends one logical call: as many attempts as are needed and safe. */
  send<Response>(
    endpoint: Endpoint<unknown, unknown, Response>,
    given: CallArguments,
    options: ImageRequestOptions = {},
  ): ApiPromise<Response> {
    return new ApiPromise(this.#start(endpoint, given, options) as Promise<WithResponse<Response>>)
  }

  /** Without a trailing slash. */
  get baseUrl(): string {
    return this.#base.origin + this.#base.prefix
  }

  /** The clock of this client, for what waits between calls. */
  get timing(): Timing {
    return this.#timing
  }

  /** For one logical call that is made of several: its retries, and the time it has left. */
  budgetFor(options: ImageRequestOptions): CallBudget {
    return {
      maxRetries: this.#repeats.maxRetries(options),
      deadline: new Deadline(options.deadlineMs ?? this.#options.deadlineMs, this.#timing.now),
    }
  }

  /** Ends the connection pool once the calls under way are done. Calls made later are refused. */
  async close(): Promise<void> {
    this.#closed = true
    // One that could not be loaded has nothing to close, and its call has heard of it.
    const transport = await Promise.resolve(this.#transport.loading).catch(() => undefined)
    await transport?.close()
  }

  async #start(
    endpoint: Endpoint,
    given: CallArguments,
    options: ImageRequestOptions,
  ): Promise<WithResponse<unknown>> {
    if (this.#closed) throw new ConfigurationError('the client was closed: make a new one')
    const call = new Call(endpoint, given, options, Object.values(this.#options.headers ?? {}))
    const startedAt = this.#timing.now()
    const deadline = new Deadline(options.deadlineMs ?? this.#options.deadlineMs, this.#timing.now)
    try {
      const answered = await this.#untilAnswered(call, deadline)
      call.admission?.release()
      return answered
    } catch (thrown) {
      const error = finalError(call, thrown)
      call.admission?.release(error)
      if (this.#reporter.enabled) {
        this.#reporter.report(call, 'error', { error, durationMs: this.#timing.now() - startedAt })
      }
      throw error
    }
  }

  async #untilAnswered(call: Call, deadline: Deadline): Promise<WithResponse<unknown>> {
    const { signal } = call.options
    for (;;) {
      if (signal?.aborted)
        throw new AbortedError(call, { mayHaveArrived: call.mayHaveArrived, cause: signal.reason })
      call.attempts++
      let failure: unknown
      try {
        const outcome = await this.#attempt(call, deadline)
        this.#repeats.succeeded(call)
        return outcome
      } catch (thrown) {
        failure = thrown
      }
      call.unclear ||= mayHaveArrived(failure)
      call.undecided ||= isAmbiguous(failure)
      const delayMs = this.#repeats.delayBefore(call, failure, deadline)
      if (delayMs === undefined) throw failure
      if (this.#reporter.enabled)
        this.#reporter.report(call, 'retry', { delayMs, error: failure as SdkError })
      await this.#timing.sleep(delayMs, signal)
      if (!signal?.aborted && deadline.leftMs <= 0) throw deadlineError(call, deadline, failure)
    }
  }

  async #attempt(call: Call, deadline: Deadline): Promise<WithResponse<unknown>> {
    const limits = { timeoutMs: this.#repeats.timeoutMs(call), deadline, signal: call.options.signal }
    const attempt = new Attempt(call, limits)
    const startedAt = this.#timing.now()
    let body: RequestBody | undefined
    try {
      if (this.#guard && call.endpoint.billable)
        call.admission ??= await attempt.raceAbort(admit(call, this.#guard), (late) =>
          late.release(attempt.ended),
        )
      if (this.#reporter.enabled) this.#reporter.report(call, 'request')
      const asked = this.#credentials()
      const grant = asked instanceof Promise ? await attempt.raceAbort(asked) : asked
      call.grant = grant
      const found = this.#transport.get()
      const transport = found instanceof Promise ? await found : found
      const opened = call.body.open(call.boundary, transport)
      body = opened instanceof Promise ? await attempt.raceAbort(opened, close) : opened
      const answer = await transport.send(
        {
          method: call.method,
          origin: this.#base.origin,
          path: this.#base.prefix + call.path,
          headers: this.#headers.of(call, grant, body),
          body: body.data,
        },
        attempt,
        call.endpoint.maxResponseBytes ?? this.#options.maxResponseBytes ?? defaultMaxResponseBytes,
      )
      if (this.#reporter.enabled) this.#reportAnswer(call, answer, startedAt)
      return this.#judge(call, answer)
    } catch (thrown) {
      throw this.#failureOf(thrown, call, { attempt, body, startedAt })
    } finally {
      attempt.finish()
      body?.dispose?.()
    }
  }

  #judge(call: Call, answer: TransportResponse): WithResponse<unknown> {
    const { endpoint } = call
    const context = this.#context(call)
    const { data, envelope } = decodeEnvelope(answer, context)
    const mode = endpoint.strict ? 'strict' : (this.#options.responseValidation ?? 'warn')
    if (mode !== 'off' && true) {
      const issues = endpoint.response.issues(data)
      if (issues.length > 0) {
        const paths = issuePaths(issues.slice(0, mostIssues), 'data')
        // Members may be named by what somebody sent.
        const fields = paths.map((path) => redactText(path, call.secrets()))
        if (mode === 'strict') throw unexpectedShape(fields, answer, context)
        this.#reporter.warnOnce(call.operation, { fields })
      }
    }
    return { data, response: new CallResponse(answer, envelope, call.attempts) }
  }

  /** Turns what an attempt threw into one of our errors. */
  #failureOf(
    thrown: unknown,
    call: Call,
    { attempt, body, startedAt }: { attempt: Attempt; body: RequestBody | undefined; startedAt: number },
  ): unknown {
    if (attempt.ended) return attempt.ended
    if (isSdkError(thrown)) return thrown
    const fault = body?.fault?.()
    if (fault !== undefined) return fault
    if (thrown instanceof UnreadableResponse) return this.#unreadable(thrown, call, startedAt)
    return connectionError(thrown, call, attempt)
  }

  /** An answer whose body is lost has still told its status. */
  #unreadable(thrown: UnreadableResponse, call: Call, startedAt: number): unknown {
    const { status, headers, message } = thrown
    const answer = { status, headers, body: new Uint8Array() }
    if (this.#reporter.enabled) this.#reportAnswer(call, answer, startedAt)
    if (status >= 200 && status < 300) {
      const requestId = plainRequestId(headers.get(requestIdHeader), call.secrets)
      return new InvalidResponseError(message, call, { status, requestId, snippet: '' })
    }
    try {
      return decodeEnvelope(answer, this.#context(call))
    } catch (refusal) {
      return refusal
    }
  }

  #context(call: Call): ResponseContext {
    return { endpoint: call.endpoint, call, now: this.#timing.wallClock(), secrets: call.secrets }
  }

  #reportAnswer(call: Call, { status, headers }: TransportResponse, startedAt: number): void {
    const requestId = plainRequestId(headers.get(requestIdHeader), call.secrets)
    const durationMs = this.#timing.now() - startedAt
    this.#reporter.report(call, 'response', {
      status,
      durationMs,
      ...(requestId === undefined ? {} : { requestId }),
    })
  }
}

const admit = async (call: Call, guard: Lazy<SpendGuard>) => (await guard.get()).reserve(call)

const close = (body: RequestBody) => body.dispose?.()

function refuseBrowsers(): void {
  const page = globalThis as { window?: { document?: unknown }; document?: unknown }
  if (page.window !== undefined && (page.window.document ?? page.document) !== undefined) {
    throw new ConfigurationError('this client holds server credentials and must not run in a browser page')
  }
}
