import { ApiError } from '../../errors/api-errors.ts'
import type { ErrorDetail } from '../../errors/error-detail.ts'
import type { BodyCall, RequestBody } from '../body/body.ts'
import { type Call, multipartBoundary } from '../exchange/call.ts'
import { isAmbiguous } from '../exchange/doubt.ts'
import type { AuthHeaders } from '../exchange/request-headers.ts'

/** The state of one call over its attempts. Everything that changes while a call runs is here. */
export class CallState implements BodyCall {
  readonly call: Call
  readonly operation: string
  readonly idempotencyKey: string | undefined
  readonly errorDetail: ErrorDetail | undefined
  /** Attempts started. */
  attempts = 0
  /** Attempts that count toward `maxRetries`. */
  retries = 0
  /** When the client stops waiting for a request that is still in progress under the same key. */
  inProgressUntil: number | undefined
  #sent = false
  #wasSent = false
  #unanswered = false
  #ambiguous = false
  #id: string | undefined
  #apiKey = ''
  #credentials: readonly string[]
  #boundary: Promise<string> | undefined
  #body: RequestBody | undefined

  constructor(call: Call) {
    this.call = call
    this.errorDetail = call.errorDetail
    this.operation = call.endpoint.operation
    this.idempotencyKey = call.idempotencyKey
    // Without the scheme, which is not secret.
    this.#credentials = call.authorization?.split(' ').slice(1) ?? []
  }

  /** Identifies the call in events. */
  get id(): string {
    this.#id ??= crypto.randomUUID()
    return this.#id
  }

  startAttempt(): void {
    this.attempts++
    this.#sent = false
    this.#body = undefined
  }

  /** Records the body that the current attempt sends, or that it need not be sent to its end any more. */
  bodyOpened(body: RequestBody | undefined): void {
    this.#body = body
  }

  /** Records whether the service may have received bytes of the current attempt. Called by the transport. */
  markSent(sent = true): void {
    this.#sent = sent
  }

  /** True if the current attempt was sent, but not to its end, so that the service cannot have executed it. */
  get isCut(): boolean {
    return this.#sent && this.#body?.isTaken?.() === false
  }

  /** True if the service may have received bytes of the current attempt. */
  get isSent(): boolean {
    return this.#sent
  }

  /** True if the service may have received bytes of any attempt. */
  get wasSent(): boolean {
    return this.#wasSent || this.#sent
  }

  /** Records how the current attempt failed. */
  attemptFailed(failure: unknown): void {
    this.#wasSent ||= this.#sent
    this.#sent = false
    if (!isAmbiguous(failure, this.call.endpoint)) return
    this.#ambiguous = true
    this.#unanswered ||= !(failure instanceof ApiError) || failure.status === 408
  }

  /** True if an ambiguous attempt got no response that says so itself: none at all, or a 408. */
  get wasUnanswered(): boolean {
    return this.#unanswered
  }

  /**
   * True if the service may have executed an attempt: the current one was sent to its end, or an earlier one is
   * ambiguous. Errors and retries read this fact here and nowhere else.
   */
  get mayHaveArrived(): boolean {
    return (this.#sent && !this.isCut) || this.#ambiguous
  }

  /** Adds the credentials of the current attempt. */
  authenticate({ secrets }: AuthHeaders): void {
    this.#apiKey = secrets[0] ?? ''
    this.#credentials = [...this.#credentials, ...secrets]
  }

  /** The boundary of a multipart body. It is computed from the first attempt's credentials and never changes. */
  boundary(): Promise<string> {
    this.#boundary ??= multipartBoundary(this.#apiKey, this.idempotencyKey)
    return this.#boundary
  }

  /** The credentials that the attempts of this call were sent with. */
  get credentials(): readonly string[] {
    return this.#credentials
  }
}
