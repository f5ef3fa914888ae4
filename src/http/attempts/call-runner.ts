import { type Endpoint, mayBeCharged } from '../../contract/endpoint.ts'
import { type AnySdkError, isSdkError } from '../../errors/any-sdk-error.ts'
import { callFacts, InvalidResponseError, SpendLimitError } from '../../errors/call-errors.ts'
import { withCaller } from '../../errors/sdk-error.ts'
import type { AttemptObservation, Stream } from '../../observe/stream.ts'
import type { BaseUrl } from '../../options/settings.ts'
import { writeRecord } from '../../runtime/logger.ts'
import type { Timing } from '../../runtime/timing.ts'
import type { RequestBody } from '../body/body.ts'
import type { WithResponse } from '../exchange/api-promise.ts'
import type { Call } from '../exchange/call.ts'
import { type AuthProvider, RequestHeaders } from '../exchange/request-headers.ts'
import { CallResponse, decodeEnvelope, validateResponse } from '../exchange/response.ts'
import { type ResponseContext, requestIdOf } from '../exchange/response-errors.ts'
import type { BeforeBillable, ClientOptions } from '../params/options.ts'
import { type Transport, type TransportResponse, UnreadableResponse } from '../transport/transport.ts'
import { Attempt, type Deadline } from './attempt.ts'
import { CallState } from './call-state.ts'
import { abortedError, connectionError, deadlineError, finalError } from './final-error.ts'
import { type RetryBudget, RetryPolicy } from './retry-policy.ts'

/** What a client shares with those that `withOptions` derives from it. */
export interface SharedParts {
  readonly base: BaseUrl
  readonly transport: Transport
  readonly budget: RetryBudget
  /** The operations whose responses were reported as not documented. */
  readonly warned: Set<string>
  isClosed: boolean
}

/** What the calls of a client share. */
export interface CallRunnerSetup {
  readonly options: ClientOptions
  readonly beforeBillable: BeforeBillable | undefined
  /** The caller's headers for every request. */
  readonly headers: Readonly<Record<string, string>>
  readonly auth: AuthProvider
  readonly timing: Timing
  readonly stream: Stream
  readonly shared: SharedParts
}

const defaultMaxResponseBytes = 33_554_432

/** Sends calls: their attempts, and the responses, errors and events of these. */
export class CallRunner {
  readonly #setup: CallRunnerSetup
  readonly #retries: RetryPolicy
  readonly #headers: RequestHeaders

  constructor(setup: CallRunnerSetup) {
    const { options, headers, timing, shared } = setup
    this.#setup = setup
    this.#headers = new RequestHeaders(headers)
    this.#retries = new RetryPolicy(options, timing, shared.budget)
  }

  /** Runs one logical call: as many attempts as are needed and safe. */
  async run(call: Call, deadline: Deadline): Promise<WithResponse<unknown>> {
    const state = new CallState(call)
    const startedAt = this.#setup.timing.now()
    try {
      const { beforeBillable } = this.#setup
      if (beforeBillable && mayBeCharged(call.endpoint)) await this.#approve(beforeBillable, state, deadline)
      return await this.#untilDone(state, deadline)
    } catch (thrown) {
      const error = withCaller(finalError(state, thrown as AnySdkError))
      this.#setup.stream.report(state, { type: 'error', error, durationMs: this.#setup.timing.now() - startedAt })
      throw error
    }
  }

  /** Before the first attempt and in none of them, because a retry must not run the hook again. */
  async #approve(beforeBillable: BeforeBillable, state: CallState, deadline: Deadline): Promise<void> {
    const { operation, idempotencyKey, call } = state
    const { signal, spendKey } = call.options
    if (signal?.aborted) throw abortedError(state)
    // A hook that never settles must not hold a call that has no deadline.
    const limitMs = deadline.deadlineMs === undefined ? this.#retries.timeoutMs(call) : Number.POSITIVE_INFINITY
    const limits = new Attempt(state, limitMs, deadline, this.#setup.timing)
    try {
      await limits.raceAbort((async () => beforeBillable({ operation, spendKey, idempotencyKey }))())
    } catch (cause) {
      throw limits.ended ?? new SpendLimitError({ ...callFacts(state), spendKey, cause })
    } finally {
      limits.finish()
    }
    // The timer had no turn if the hook blocked the process.
    if (deadline.leftMs <= 0) throw deadlineError(state, deadline.deadlineMs, undefined)
  }

  async #untilDone(state: CallState, deadline: Deadline): Promise<WithResponse<unknown>> {
    const { signal } = state.call.options
    for (;;) {
      if (signal?.aborted) throw abortedError(state)
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
      this.#setup.stream.report(state, { type: 'retry', delayMs, error: failure as AnySdkError })
      await this.#setup.timing.sleep(delayMs, signal)
      if (!signal?.aborted && deadline.leftMs <= 0) throw deadlineError(state, deadline.deadlineMs, failure)
    }
  }

  /** Call, request, response, data: one attempt from end to end. */
  async #attempt(state: CallState, deadline: Deadline): Promise<WithResponse<unknown>> {
    const { call } = state
    const { auth: authOf, shared, stream } = this.#setup
    const { base, transport } = shared
    const attempt = new Attempt(state, this.#retries.timeoutMs(call), deadline, this.#setup.timing)
    let observed: AttemptObservation | undefined
    let body: RequestBody | undefined
    try {
      observed = stream.attempt(state, base.origin)
      const auth = await attempt.raceAbort(authOf(state.operation))
      state.authenticate(auth)
      body = await attempt.raceAbort(call.body.open(state, transport), (late) => late.dispose?.())
      state.bodyOpened(body)
      const request = {
        method: call.endpoint.method,
        origin: base.origin,
        path: base.prefix + call.path,
        headers: this.#headers.of(call, auth, body, observed.headers),
        body: body.data,
      }
      const response = await observed.run(() => transport.send(request, attempt, this.#maxResponseBytes(call.endpoint)))
      const { status, headers } = response
      observed.responded(status, () => requestIdOf(headers, state))
      const result = this.#read(state, response, attempt)
      observed.end()
      return result
    } catch (thrown) {
      const error = this.#failureOf(thrown, state, { attempt, body, observed })
      observed?.end(error)
      throw error
    } finally {
      attempt.finish()
      body?.dispose?.()
    }
  }

  #read(state: CallState, response: TransportResponse, attempt: Attempt): WithResponse<unknown> {
    const context = this.#context(state)
    const { data, envelope } = attempt.timed(() => decodeEnvelope(response, context))
    const mode = this.#setup.options.responseValidation ?? 'warn'
    const fields = validateResponse(data, response, context, mode)
    if (fields.length > 0) this.#warnOnce(state.operation, fields)
    return { data, response: new CallResponse(response, envelope, state.attempts) }
  }

  /** Turns what an attempt threw into one of our errors. */
  #failureOf(
    thrown: unknown,
    state: CallState,
    {
      attempt,
      body,
      observed,
    }: {
      attempt: Attempt
      body: RequestBody | undefined
      observed: AttemptObservation | undefined
    },
  ): unknown {
    if (attempt.ended) return attempt.ended
    if (isSdkError(thrown)) return thrown
    const fault = body?.fault?.()
    if (fault !== undefined) return fault
    if (thrown instanceof UnreadableResponse) return this.#unreadable(thrown, state, observed)
    return connectionError(state, thrown, {
      origin: this.#setup.shared.base.origin,
      transport: this.#setup.shared.transport,
    })
  }

  /** A response whose body cannot be read still has a status. */
  #unreadable(thrown: UnreadableResponse, state: CallState, observed: AttemptObservation | undefined): unknown {
    const { status, headers, message } = thrown
    observed?.responded(status, () => requestIdOf(headers, state))
    if (status >= 200 && status < 300) {
      const facts = { ...callFacts(state), status, requestId: requestIdOf(headers, state) }
      return new InvalidResponseError({ ...facts, message: `${state.operation}: ${message}` })
    }
    try {
      return decodeEnvelope({ status, headers, body: new Uint8Array() }, this.#context(state))
    } catch (error) {
      return error
    }
  }

  #context(state: CallState): ResponseContext {
    return { endpoint: state.call.endpoint, state, now: this.#setup.timing.wallClock() }
  }

  /** Warns that responses are not as documented, once for each operation. */
  #warnOnce(operation: string, fields: readonly string[]): void {
    if (this.#setup.shared.warned.has(operation)) return
    this.#setup.shared.warned.add(operation)
    writeRecord(this.#setup.stream.logger, 'warn', `${operation}: the response is not as documented`, {
      operation,
      fields,
    })
  }

  #maxResponseBytes({ maxResponseBytes }: Endpoint): number {
    return maxResponseBytes ?? this.#setup.options.maxResponseBytes ?? defaultMaxResponseBytes
  }
}
