import { isJsonObject } from '../../contract/schema/schema.ts'
import type { WebhookEvent } from '../../contract/webhooks/events.ts'
import { WebhookVerificationError } from '../../errors/webhook-error.ts'
import { checkOptions } from '../../options/rules.ts'
import { type EventProcessorOptions, processorOptionRules } from '../options.ts'
import type { WebhookResult } from '../result.ts'
import { readProcessorSettings } from '../settings.ts'
import { readEvent } from '../verify.ts'
import { EventDispatcher } from './event-dispatcher.ts'

/** Handles events that were verified before, for example by the process that put them into a queue. */
export interface EventProcessor {
  /**
   * Handles an event of any age. It never rejects. The result is that of `handler.handle()`: the event is handled if
   * `status` is 200, and worth another attempt if it is 500 or more. An event that is malformed has the outcome
   * `rejected`. Pass only events that `verifyWebhook` returned: nothing here shows who sent them.
   *
   * @example
   * const { status, outcome } = await processor.process(job.data)
   * if (status >= 500) throw new Error(outcome) // the queue tries again
   */
  readonly process: (event: WebhookEvent) => Promise<WebhookResult>
}

/**
 * Creates an event processor: what a webhook handler does after verification. It runs your callbacks once for each
 * event, over all processes that share the store. Use it in a worker that takes verified events from a
 * queue.
 *
 * @throws {ConfigurationError} an option has a wrong value, or a name that is not an option
 *
 * @example
 * const processor = createEventProcessor({
 *   store,
 *   on: { 'verification.approved': async (event) => unlock(event.vendor_data) },
 * })
 * // In the process that receives the delivery:
 * const event = await verifyWebhook({ body: await request.text(), headers: request.headers, secret })
 * // At any later time:
 * const { status } = await processor.process(event)
 */
export function createEventProcessor(options: EventProcessorOptions): EventProcessor {
  const owner = 'createEventProcessor'
  checkOptions(owner, options, processorOptionRules)
  const dispatcher = new EventDispatcher(options, readProcessorSettings(owner, options))
  return {
    process: (input) =>
      dispatcher.observe('webhooks.process', async () => {
        const event = readEvent(copyOf(input))
        if (typeof event !== 'string') return dispatcher.dispatch(event)
        const message = `${owner}: the event cannot be processed: ${event}. Pass an event that verifyWebhook returned.`
        const error = new WebhookVerificationError({ reason: 'invalid_payload', message })
        dispatcher.stream.failed({ what: 'an event', error, reason: error.reason })
        return { status: 400, outcome: 'rejected', error, headers: {} }
      }),
  }
}

/** Returns a copy of what `readEvent` completes, because the event belongs to the caller. */
function copyOf(event: unknown): unknown {
  if (!isJsonObject(event)) return event
  const { decision } = event
  const checks = isJsonObject(decision) ? decision.checks : undefined
  const copied = Array.isArray(checks) && { checks: checks.map((one) => (isJsonObject(one) ? { ...one } : one)) }
  return { ...event, ...(isJsonObject(decision) && { decision: { ...decision, ...copied } }) }
}
