import type { WebhookEvent } from '../../contract/webhooks/events.ts'
import { FailureLog } from '../../errors/failure-log.ts'
import type { WebhookVerificationError } from '../../errors/webhook-error.ts'
import { callHook } from '../../runtime/logger.ts'
import type { Timing } from '../../runtime/timing.ts'
import type { FailureOptions } from '../options.ts'

/** Passes every failure and rejection to the caller's `onError` and to the log. */
export class FailureReporter {
  readonly #onError: FailureOptions['onError']
  readonly #log: FailureLog

  constructor({ logger, onError, errorDetail }: FailureOptions, timing: Pick<Timing, 'now'>) {
    this.#onError = onError
    this.#log = new FailureLog({ logger, onError, errorDetail, timing })
  }

  /** @param what the subject of the record, such as `the callback for verification.approved` */
  failed(what: string, error: unknown, event?: WebhookEvent): void {
    this.#callOnError(error, event)
    this.#log.failed({ what, error })
  }

  /** @param what the subject of the record, such as `a webhook` */
  rejected(what: string, error: WebhookVerificationError): void {
    this.#callOnError(error, undefined)
    this.#log.rejected({ what, error }, error.reason)
  }

  /** @param message what is unexpected, and accepted */
  noted(message: string): void {
    this.#log.noted(message)
  }

  #callOnError(error: unknown, event: WebhookEvent | undefined): void {
    callHook(
      () => this.#onError?.(error, event === undefined ? {} : { event }),
      (thrown) => this.#log.hookThrew({ what: 'onError', error: thrown }),
    )
  }
}
