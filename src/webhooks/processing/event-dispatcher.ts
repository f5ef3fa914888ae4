import { type WebhookEvent, webhookEventStatuses } from '../../contract/webhooks/events.ts'
import { isSdkError } from '../../errors/any-sdk-error.ts'
import type { ObservedResult } from '../../observe/instrumentation.ts'
import { Stream } from '../../observe/stream.ts'
import { timingOf } from '../../runtime/timing.ts'
import type { SignalContext } from '../../stores/exclusive.ts'
import { memoryStore } from '../../stores/memory.ts'
import { guardedStore } from '../../stores/operation.ts'
import type { EventProcessorOptions, WebhookCallback } from '../options.ts'
import type { WebhookResult } from '../result.ts'
import { type ProcessorSettings, unlistedTypes } from '../settings.ts'
import { type ClaimOptions, runOnce } from './claim.ts'

/** One call of the caller's code for an event. */
interface Step {
  /** Names it in messages. */
  readonly name: string
  run(event: WebhookEvent, context: SignalContext): unknown
}

/** What runs for an event. */
interface EventRoute {
  readonly steps: readonly Step[]
  readonly outcome: 'processed' | 'test' | 'unhandled'
}

/** Passes each event to the callbacks once. Handlers use it after verification, processors alone. */
export class EventDispatcher {
  readonly stream: Stream
  readonly #claims: ClaimOptions
  readonly #consumers: readonly Step[]
  readonly #callbacks: ReadonlyMap<string, Step>
  readonly #onUnhandled: readonly Step[]
  readonly #onTestEvent: readonly Step[]

  /** @param settings of these options */
  constructor(options: EventProcessorOptions, settings: ProcessorSettings) {
    const { on = {}, consumers = [], store, ...rest } = options
    const time = timingOf(options)
    const { onError } = rest
    this.stream = new Stream({ observation: { ...rest }, onError, timing: time })
    const claims = guardedStore(
      settings.owner,
      store ?? memoryStore({ now: () => new Date(time.now()) }),
      'the store of webhook claims',
      // What is in memory does not fail, and takes no time.
      { timing: time, stream: store && this.stream },
    )
    this.#claims = { ...settings, store: claims, timing: time }
    this.#consumers = consumers.map((consumer, i) => ({
      name: `consumers[${i}]`,
      run: (event, context) => consumer.handle(event, context),
    }))
    this.#callbacks = new Map(
      Object.entries(on).flatMap(([type, callback]) =>
        stepsOf('the callback', callback as WebhookCallback).map((step) => [type, step]),
      ),
    )
    this.#onUnhandled = stepsOf('onUnhandled', rest.onUnhandled)
    this.#onTestEvent = stepsOf('onTestEvent', rest.onTestEvent)
    const unlisted = unlistedTypes(settings.owner, on)
    if (unlisted) this.stream.failed({ what: 'a check of the webhook callbacks', error: unlisted })
  }

  /** Runs what handles a delivery or an event, and reports its outcome to the instrumentations. */
  observe(
    operation: 'webhooks.handle' | 'webhooks.process',
    handle: () => Promise<WebhookResult>,
  ): Promise<WebhookResult> {
    return this.stream.observe({ kind: 'webhook', operation }, handle, describe)
  }

  /** Handles an event. Never rejects: every failure is in the result, and is passed to `onError`. */
  async dispatch(event: WebhookEvent): Promise<WebhookResult> {
    const { steps, outcome } = this.#routeOf(event)
    // The event is not recorded, so that a callback that you add later still runs for it.
    if (steps.length === 0) return { status: 200, outcome, event, headers: {} }

    const subject = nameOf(event)
    const reported = new Set<unknown>()
    const report = (what: string, error: unknown) => {
      // A callback may throw the reason of its signal, which was reported when the lease was lost.
      if (!reported.has(error)) this.stream.failed({ what: `${what} ${subject}`, error }, { event })
      reported.add(error)
    }
    let failed: Step | undefined
    const work = async (context: SignalContext) => {
      for (const step of steps) {
        failed = step
        // Another process may be handling the event by now.
        context.signal.throwIfAborted()
        await step.run(event, context)
      }
      failed = undefined
    }
    let ended: Awaited<ReturnType<typeof runOnce>>
    try {
      ended = await runOnce(event.event_id, this.#claims, work, (error) => report('the claim of', error))
    } catch (error) {
      report(failed ? `${failed.name} for` : 'the claim of', error)
      return isSdkError(error) && error.name === 'StoreError'
        ? { status: 503, outcome: 'failed', error, event, headers: this.#retryAfter() }
        : { status: 500, outcome: 'failed', error, event, headers: {} }
    }
    if (ended === 'in_progress') return { status: 503, outcome: ended, event, headers: this.#retryAfter() }
    return { status: 200, outcome: ended === 'duplicate' ? ended : outcome, event, headers: {} }
  }

  #routeOf(event: WebhookEvent): EventRoute {
    if (event.test === true) return { steps: this.#onTestEvent, outcome: 'test' }
    const own = this.#callbacks.get(event.type)
    const steps = own ? [...this.#consumers, own] : this.#consumers
    return steps.length > 0 ? { steps, outcome: 'processed' } : { steps: this.#onUnhandled, outcome: 'unhandled' }
  }

  /** In whole seconds. At most 5, because a callback rarely takes as long as its lease. */
  #retryAfter() {
    const seconds = Math.max(1, Math.min(5, Math.floor(this.#claims.leaseMs / 1000)))
    return { 'retry-after': String(seconds) }
  }
}

function describe(result: WebhookResult): ObservedResult {
  const { outcome } = result
  const type = 'event' in result ? result.event?.type : undefined
  const eventType = type !== undefined && Object.hasOwn(webhookEventStatuses, type) ? type : undefined
  return { outcome, eventType, error: 'error' in result ? result.error : undefined }
}

const stepsOf = (name: string, callback: WebhookCallback | undefined): readonly Step[] =>
  callback ? [{ name, run: callback }] : []

/** Names an event without its values. A type may be any text, so only a plain one is written. */
const nameOf = ({ type }: WebhookEvent) => (/^[\w.-]{1,64}$/.test(type) ? type : 'an event')
