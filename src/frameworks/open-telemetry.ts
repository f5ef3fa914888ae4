import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  type Histogram,
  type Meter,
  type MeterProvider,
  metrics,
  propagation,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { errorType } from '../observe/failure-text.ts'
import type { Instrumentation, ObservedAttempt, ObservedResult } from '../observe/instrumentation.ts'
import { checkOptions, type Rule, trueOrFalse } from '../options/rules.ts'
import { writeNote } from '../runtime/logger.ts'
import { timingOf } from '../runtime/timing.ts'

/** Options of {@link openTelemetry}. They are read once. Later changes to the object have no effect. */
export interface OpenTelemetryOptions {
  /** Creates the spans. @default the global tracer provider's, looked up when a span starts */
  readonly tracer?: Tracer | undefined
  /** Creates the histogram. @default the global meter provider's, looked up when a span ends */
  readonly meter?: Meter | undefined
  /**
   * Whether requests carry the context of their span, such as `traceparent`, by the global propagator. Baggage is not
   * sent, because it may contain personal data. While such a request is sent, other instrumentations, such as
   * `@opentelemetry/instrumentation-undici`, record no span and add no header. Set it to false to have theirs instead.
   *
   * @default true
   */
  readonly propagate?: boolean | undefined
}

const withMethod = (form: string, method: string): Rule => ({
  form,
  allows: (value) => typeof Object(value)[method] === 'function',
})

declare const __SDK_VERSION__: string

const scope = ['identity-service-sdk', __SDK_VERSION__] as const

/**
 * How `@opentelemetry/core` marks a context in which nothing is traced. A key is the same for every copy of the API.
 */
const untraced = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING')

/** Those of the semantic conventions of HTTP metrics, in seconds. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/**
 * Returns an instrumentation that creates OpenTelemetry spans and metrics, by the stable semantic conventions of HTTP.
 * Pass it as `instrumentation` to clients, handlers, managers and stores.
 *
 * Each attempt of a call is a span of kind CLIENT whose name is the operation, such as `sessions.create`, and one value
 * of the histogram `http.client.request.duration`. Deliveries, events, sign-ins and the operations of managers and
 * stores are spans of kind INTERNAL, and what they call are their children. No name, attribute or status contains an
 * id, a query, a message of the service or personal data.
 *
 * @param options the tracer, the meter, and whether requests carry the context of their span
 * @throws {ConfigurationError} an option has a wrong value, or a name that is not an option
 *
 * @example
 * const instrumentation = openTelemetry()
 * const observed = client.withOptions({ instrumentation })
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Instrumentation {
  checkOptions('openTelemetry', options, {
    tracer: withMethod('be a Tracer of @opentelemetry/api', 'startSpan'),
    meter: withMethod('be a Meter of @opentelemetry/api', 'createHistogram'),
    propagate: trueOrFalse,
  })
  const { propagate = true } = options
  const { now } = timingOf(options)
  const tracer = options.tracer ?? trace.getTracer(...scope)
  const duration = histogramOf(options.meter)
  let isChecked = options.tracer !== undefined
  const known = new Map<string, RequestAttributes>()
  // Those of a request are made once, and for each status. Otherwise they would cost more than the span.
  const attributesOf = ({ origin, method, path }: ObservedAttempt) => {
    const key = `${method} ${origin} ${path}`
    const attributes = known.get(key) ?? new RequestAttributes(requestAttributes(origin, method, path))
    known.set(key, attributes)
    return attributes
  }
  return {
    start(work) {
      if (!isChecked) isChecked = checkCopies()
      const isAttempt = work.kind === 'attempt'
      const request = isAttempt ? attributesOf(work) : undefined
      const kind = isAttempt ? SpanKind.CLIENT : SpanKind.INTERNAL
      const attributes = isAttempt && work.attempt > 1 ? ofRetry(work, request) : (request?.start ?? {})
      const span = tracer.startSpan(work.operation, { kind, attributes })
      const active = trace.setSpan(context.active(), span)
      const propagates = isAttempt && propagate
      // An instrumentation of undici would add a second traceparent, of a span of its own.
      const running = propagates ? active.setValue(untraced, true) : active
      const startedAt = now()
      return {
        headers: propagates ? headersOf(active) : undefined,
        run: (run) => context.with(running, run),
        end(result) {
          const ended = endAttributes(result)
          if (request) duration().record((now() - startedAt) / 1000, request.ended(result, ended), active)
          span.setAttributes(ended)
          if (isFailure(result)) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        },
      }
    },
  }
}

/** Returns what returns the histogram. Unlike a tracer, a meter does not follow a provider that is registered later. */
function histogramOf(meter: Meter | undefined): () => Histogram {
  const given = meter && { getMeter: () => meter }
  let provider: MeterProvider | undefined
  let histogram: Histogram | undefined
  return () => {
    const current = given ?? metrics.getMeterProvider()
    if (histogram && provider === current) return histogram
    provider = current
    histogram = current.getMeter(...scope).createHistogram('http.client.request.duration', {
      description: 'Duration of HTTP client requests.',
      unit: 's',
      advice: { explicitBucketBoundaries: boundaries },
    })
    return histogram
  }
}

/** The object in which every copy of the API, version 1, finds what was registered. */
const registry = Symbol.for('opentelemetry.js.api.1')

/**
 * Warns if the application registered its SDK in an older copy of the API. This copy ignores such an SDK, and every
 * span and value would be lost without a word.
 *
 * @returns false if no SDK is registered yet
 */
function checkCopies(): boolean {
  const registered = Object((globalThis as { readonly [registry]?: object })[registry])
  const provider = registered.trace ?? registered.metrics
  if (provider === undefined) return false
  if (provider !== trace.getTracerProvider() && provider !== metrics.getMeterProvider())
    writeNote(
      undefined,
      `openTelemetry records nothing: your SDK is registered in @opentelemetry/api ${registered.version}, and identity-service-sdk has loaded another, newer copy. Run npm ls @opentelemetry/api, and install one version for both.`,
    )
  return true
}

function headersOf(active: Context): Record<string, string> {
  const headers: Record<string, string> = {}
  // The propagator of Sentry writes a warning for a context that is not active, and injects nothing.
  context.with(active, () => propagation.inject(context.active(), headers))
  delete headers.baggage
  return headers
}

function requestAttributes(origin: string, method: string, path: string | undefined): Attributes {
  const { hostname, port, protocol } = new URL(origin)
  const usualPort = protocol === 'https:' ? 443 : 80
  return {
    'http.request.method': method,
    ...(path !== undefined && { 'url.template': path }),
    'server.address': hostname,
    'server.port': port === '' ? usualPort : Number(port),
  }
}

/** The attributes of the requests with one method, origin and path. */
class RequestAttributes {
  readonly start: Attributes
  readonly #byStatus = new Map<number, Attributes>()

  constructor(start: Attributes) {
    this.start = start
  }

  /** Returns those of the metric of a request that ended. */
  ended({ status, error }: ObservedResult, ended: Attributes): Attributes {
    if (status === undefined || error !== undefined) return { ...this.start, ...ended }
    const attributes = this.#byStatus.get(status) ?? { ...this.start, ...ended }
    this.#byStatus.set(status, attributes)
    return attributes
  }
}

/** The number of a retry is an attribute of its span, and not of the metric. */
const ofRetry = ({ attempt }: ObservedAttempt, request: RequestAttributes | undefined): Attributes => ({
  ...request?.start,
  'http.request.resend_count': attempt - 1,
})

function endAttributes({ status, outcome, eventType, error }: ObservedResult): Attributes {
  return {
    ...(status !== undefined && { 'http.response.status_code': status }),
    ...(outcome !== undefined && { 'svc.webhook.outcome': outcome }),
    ...(eventType !== undefined && { 'svc.webhook.event_type': eventType }),
    ...(error !== undefined && {
      'error.type': status !== undefined && status >= 400 ? String(status) : errorType(error),
    }),
  }
}

/** A delivery that was rejected is the failure of its sender. */
const isFailure = ({ error, outcome }: ObservedResult) => error !== undefined && outcome !== 'rejected'
