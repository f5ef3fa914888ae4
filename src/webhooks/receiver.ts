import type { WebhookEvent } from '../contract/webhooks/events.ts'
import { eventIdHeader } from '../contract/webhooks/headers.ts'
import { errorIn } from '../errors/sdk-error.ts'
import { WebhookVerificationError } from '../errors/webhook-error.ts'
import { checkOptions, type OptionRules } from '../options/rules.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { writeNote } from '../runtime/logger.ts'
import { handlerOptionRules, type WebhookHandlerOptions } from './options.ts'
import { EventDispatcher } from './processing/event-dispatcher.ts'
import type { WebhookFailedResult, WebhookRejectedResult, WebhookResult } from './result.ts'
import { type HandlerSettings, readHandlerSettings, readProcessorSettings } from './settings.ts'
import { checkSignedHeaders, type WebhookBody, type WebhookHeaders } from './signature.ts'
import { verifyDelivery } from './verify.ts'

/** A request whose body may be missing or already parsed. */
interface ReceivedRequest {
  readonly body: unknown
  readonly headers: WebhookHeaders
}

/** Verifies deliveries and dispatches their events. The adapters of all frameworks share it. */
export class WebhookReceiver {
  readonly #owner: string
  readonly #settings: HandlerSettings
  readonly #dispatcher: EventDispatcher
  #hasNotedOtherId = false

  /**
   * @param owner the function that the options were passed to
   * @param names the names that the options may have
   * @throws {ConfigurationError} an option has a wrong value, or a name that is not listed
   */
  constructor(
    owner: string,
    options: WebhookHandlerOptions,
    names: OptionRules<WebhookHandlerOptions> = handlerOptionRules,
  ) {
    this.#owner = owner
    checkOptions(owner, options, names)
    const settings = readProcessorSettings(owner, options)
    this.#settings = readHandlerSettings(owner, options, settings.retainMs)
    this.#dispatcher = new EventDispatcher(options, settings)
  }

  /** Handles a delivery. Never rejects: every failure is in the result, and is passed to `onError`. */
  receive(delivery: ReceivedRequest): Promise<WebhookResult> {
    return this.#dispatcher.observe('webhooks.handle', () => this.#receive(delivery))
  }

  async #receive(delivery: ReceivedRequest): Promise<WebhookResult> {
    const { maxBodyBytes, trust } = this.#settings
    let event: WebhookEvent
    try {
      const { body, headers } = Object(delivery) as ReceivedRequest
      if (isLarger(body, maxBodyBytes)) return this.#rejectTooLarge()
      const onOtherId = () => this.#noteOtherId()
      event = await verifyDelivery(this.#owner, { body: body as WebhookBody, headers }, trust, onOtherId)
    } catch (error) {
      return this.#unverified(error)
    }
    return this.#dispatcher.dispatch(event)
  }

  #unverified(error: unknown): WebhookRejectedResult | WebhookFailedResult {
    if (error instanceof WebhookVerificationError) return this.#reject(400, error)
    // A clock or a request that throws is not the fault of the sender, who may send the delivery again.
    this.#dispatcher.stream.failed({ what: 'the verification of a webhook', error })
    return { status: 500, outcome: 'failed', error, event: undefined, headers: {} }
  }

  /** Returns the result of a delivery that its headers alone are enough to reject. */
  #byHeaders(headers: WebhookHeaders): WebhookRejectedResult | WebhookFailedResult | undefined {
    const { maxBodyBytes, trust } = this.#settings
    try {
      if (Number(lengthIn(headers)) > maxBodyBytes) return this.#rejectTooLarge()
      checkSignedHeaders(headers, trust)
      return undefined
    } catch (thrown) {
      return this.#unverified(errorIn(this.#owner, thrown))
    }
  }

  /**
   * Handles a delivery whose body is read here, up to `maxBodyBytes`, unless its headers are enough to reject it.
   *
   * @param read returns `undefined` if the body is larger
   * @param discard discards a body that is not read
   */
  receiveBody(
    read: (maxBytes: number) => Promise<Uint8Array | undefined>,
    headers: WebhookHeaders,
    discard: () => void,
  ): Promise<WebhookResult> {
    return this.#dispatcher.observe('webhooks.handle', async () => {
      const rejected = this.#byHeaders(headers)
      if (rejected !== undefined) {
        discard()
        return rejected
      }
      let body: Uint8Array | undefined
      try {
        body = await read(this.#settings.maxBodyBytes)
      } catch (error) {
        return this.#rejectIncomplete(error)
      }
      return body === undefined ? this.#rejectTooLarge() : this.#receive({ body, headers })
    })
  }

  /** The contract does not say that the two are equal, so that a difference is accepted. */
  #noteOtherId(): void {
    if (this.#hasNotedOtherId) return
    this.#hasNotedOtherId = true
    writeNote(
      this.#dispatcher.stream.logger,
      `the ${eventIdHeader} header of a webhook differs from the event_id of the signed body, which identifies the event`,
    )
  }

  #rejectTooLarge(): WebhookRejectedResult {
    const { maxBodyBytes } = this.#settings
    const message = `${this.#owner}: the body is larger than maxBodyBytes (${maxBodyBytes}). If the event is genuine, raise the limit.`
    return this.#reject(413, new WebhookVerificationError({ reason: 'body_too_large', message }))
  }

  #rejectIncomplete(thrown: unknown): WebhookRejectedResult {
    const { errorDetail } = this.#dispatcher.stream
    const facts = { cause: thrown, errorDetail } as const
    // As frameworks mark a body over their own limit, which may be lower than that of the handler.
    const { status, statusCode = status } = Object(thrown)
    if (statusCode === 413) {
      const message = `${this.#owner}: the body is larger than the limit of your framework. Raise it to maxBodyBytes (${this.#settings.maxBodyBytes}).`
      return this.#reject(413, new WebhookVerificationError({ reason: 'body_too_large', message, ...facts }))
    }
    const message = `${this.#owner}: the body ended with an error before it was complete. The connection may have been closed.`
    return this.#reject(400, new WebhookVerificationError({ reason: 'body_incomplete', message, ...facts }))
  }

  #reject(status: 400 | 413, error: WebhookVerificationError): WebhookRejectedResult {
    this.#dispatcher.stream.failed({ what: 'a webhook', error, reason: error.reason })
    return { status, outcome: 'rejected', error, headers: {} }
  }
}

const lengthIn = (headers: WebhookHeaders): unknown =>
  typeof headers.get === 'function' ? headers.get('content-length') : Object(headers)['content-length']

/** Compares a body with the limit. A string has at most three bytes for each of its characters. */
function isLarger(body: unknown, maxBodyBytes: number): boolean {
  if (typeof body !== 'string') return ((body as Uint8Array | undefined)?.byteLength ?? 0) > maxBodyBytes
  return body.length > maxBodyBytes || (body.length * 3 > maxBodyBytes && encodeUtf8(body).byteLength > maxBodyBytes)
}
