import type { AnySdkError } from '../errors/any-sdk-error.ts'

/** What every event of a call says. It contains no body, no header value and no id from a path. */
interface CallEvent {
  /**
   * Identifies one request and its retries, across all processes. A method that makes several requests, such as
   * `waitForDecision` or `addAll`, has one id for each.
   */
  readonly callId: string
  /** The method that was called, such as `sessions.create`. */
  readonly operation: string
  /** The HTTP method. */
  readonly method: string
  /** The path template. */
  readonly path: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  /** The idempotency key, if the call has one. It is the same for all attempts. */
  readonly idempotencyKey?: string
  /** The HTTP status. Only responses have it. */
  readonly status?: number
  /** Identifies the request in the service's logs. Only responses have it. */
  readonly requestId?: string
  /** How long an attempt or the call took, in milliseconds. Missing when an attempt starts or another one follows. */
  readonly durationMs?: number
  /** The wait before the next attempt, in milliseconds. Missing unless another attempt follows. */
  readonly delayMs?: number
  /** Why an attempt or the call failed. */
  readonly error?: AnySdkError
}

/** An attempt starts. */
export interface AttemptStarted extends CallEvent {
  /** An attempt starts. */
  readonly type: 'request'
}

/** The response of an attempt was received, with any status. */
export interface ResponseReceived extends CallEvent {
  /** A response was received. */
  readonly type: 'response'
  /** The HTTP status. */
  readonly status: number
  /** How long the attempt took, in milliseconds. */
  readonly durationMs: number
}

/** An attempt failed, and another one follows. */
export interface RetryScheduled extends CallEvent {
  /** Another attempt follows. */
  readonly type: 'retry'
  /** The wait before the next attempt, in milliseconds. */
  readonly delayMs: number
  /** Why the attempt failed. */
  readonly error: AnySdkError
}

/** The call failed, and no attempt follows. */
export interface CallFailed extends CallEvent {
  /** The call failed. */
  readonly type: 'error'
  /** The error that the caller gets. */
  readonly error: AnySdkError
  /** How long the whole call took, in milliseconds. */
  readonly durationMs: number
}

/** One step of a call: a union discriminated by `type`. */
export type RequestEvent = AttemptStarted | ResponseReceived | RetryScheduled | CallFailed

type FactsOfCall = 'callId' | 'operation' | 'method' | 'path' | 'attempt' | 'idempotencyKey'

/** The additional fields of the events of one type. */
export type FactsOf<Event> = Event extends RequestEvent ? Omit<Event, FactsOfCall> : never
