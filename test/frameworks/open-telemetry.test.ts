import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { context, metrics, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  AggregationTemporality,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import {
  ConfigurationError,
  createEventProcessor,
  createSignInHandler,
  createTokenManager,
  createVerificationManager,
  createWebhookHandler,
  memoryStore,
  OidcClient,
  OrgClient,
  signWebhook,
  VerificationClient,
} from '../../src/index.ts'
import { openTelemetry } from '../../src/opentelemetry.ts'
import { withCanaries } from '../support/canaries.ts'
import { loopbackServer, success } from '../support/loopback-server.ts'
import { operations } from '../support/operations.ts'
import { sampleData } from '../support/sample-data.ts'
import { forEachTransport } from '../support/transports.ts'

const spanExporter = new InMemorySpanExporter()
const tracing = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spanExporter })] })
const metricExporter = new InMemoryMetricExporter(AggregationTemporality.DELTA)
const reader = new PeriodicExportingMetricReader({
  exporter: metricExporter,
  exportIntervalMillis: 3_600_000,
})
const metering = new MeterProvider({ readers: [reader] })
const tracer = tracing.getTracer('test')
const instrumentation = openTelemetry({ tracer, meter: metering.getMeter('test') })

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  )
})
afterAll(async () => {
  context.disable()
  propagation.disable()
  await metering.shutdown()
})

const emulator = createEmulator({ seed: 1, ...sampleData })
beforeEach(async () => {
  emulator.reset()
  spanExporter.reset()
  await reader.forceFlush()
  metricExporter.reset()
})

const requests: Request[] = []
const fetch: typeof globalThis.fetch = async (...call) => {
  const request = new Request(...call)
  requests.push(request.clone())
  return emulator.fetch(request)
}
const clientWith = (over: object = {}) =>
  new VerificationClient({ ...emulator.options.verification, fetch, instrumentation, ...over })

const spans = () => spanExporter.getFinishedSpans()
/** All spans and metrics, as text. */
async function recorded(): Promise<string> {
  await reader.forceFlush()
  return JSON.stringify([
    spans().map(({ name, attributes, status, events, links }) => ({
      name,
      attributes,
      status,
      events,
      links,
    })),
    metricExporter.getMetrics().map(({ scopeMetrics }) => scopeMetrics),
  ])
}

const named = (name: string) => spans().filter((span) => span.name === name)
const parentOf = ({ parentSpanContext }: ReadableSpan) => parentSpanContext?.spanId

it('each attempt is a span of the operation, with the attributes of the semantic conventions', async () => {
  emulator.faults.add({ reset: true })
  emulator.faults.add({ status: 503, headers: { 'retry-after': '0' } })

  await tracer.startActiveSpan('sign-up', async (span) => {
    await clientWith().sessions.list()
    span.end()
  })

  const [parent] = named('sign-up')
  const attempts = named('sessions.list')
  const { hostname, port } = new URL(emulator.options.verification.baseUrl)
  const request = {
    'http.request.method': 'GET',
    'url.template': '/api/v2/session',
    'server.address': hostname,
    'server.port': Number(port),
  }
  expect(attempts.map(({ attributes, status, kind }) => ({ attributes, status, kind }))).toEqual([
    {
      attributes: { ...request, 'error.type': 'connection_failed' },
      status: { code: SpanStatusCode.ERROR },
      kind: SpanKind.CLIENT,
    },
    {
      attributes: {
        ...request,
        'http.request.resend_count': 1,
        'http.response.status_code': 503,
        'error.type': '503',
      },
      status: { code: SpanStatusCode.ERROR },
      kind: SpanKind.CLIENT,
    },
    {
      attributes: { ...request, 'http.request.resend_count': 2, 'http.response.status_code': 200 },
      status: { code: SpanStatusCode.UNSET },
      kind: SpanKind.CLIENT,
    },
  ])
  for (const attempt of attempts) expect(parentOf(attempt)).toBe(parent?.spanContext().spanId)
})

it('the duration of each attempt is a value of http.client.request.duration, in seconds', async () => {
  emulator.faults.add({ status: 503, headers: { 'retry-after': '0' } })
  await clientWith().sessions.list()
  await reader.forceFlush()

  const metrics = metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics))
  const [metric] = metrics
  expect([metrics.length, metric?.descriptor.name, metric?.descriptor.unit]).toEqual([
    1,
    'http.client.request.duration',
    's',
  ])
  const points = (metric?.dataPoints ?? []).map(({ attributes, value }) => [
    attributes['http.response.status_code'],
    attributes['error.type'],
    attributes['http.request.resend_count'],
    (value as Histogram).count,
    ((value as Histogram).sum ?? 60) < 60,
  ])
  expect(points).toEqual([
    [503, '503', undefined, 1, true],
    [200, undefined, undefined, 1, true],
  ])
})

it('the traceparent of a request names the span of its attempt, and baggage is not sent', async () => {
  requests.length = 0
  emulator.faults.add({ status: 503, headers: { 'retry-after': '0' } })
  const baggage = propagation.createBaggage({ person: { value: 'ada' } })
  await context.with(propagation.setBaggage(context.active(), baggage), () => clientWith().sessions.list())

  const sent = requests.map(({ headers }) => [headers.get('traceparent')?.split('-')[2], headers.get('baggage')])
  expect(sent).toEqual(named('sessions.list').map((span) => [span.spanContext().spanId, null]))
})

it('with propagate false, a request has no traceparent', async () => {
  requests.length = 0
  await clientWith({ instrumentation: openTelemetry({ tracer, propagate: false }) }).sessions.list()
  expect(requests[0]?.headers.has('traceparent')).toBe(false)
})

/** Does what `@opentelemetry/instrumentation-undici` does: a span of its own, and headers that name it. */
function instrumentUndici() {
  const onRequest = (message: unknown) => {
    const { request } = message as { request: { addHeader(name: string, value: string): void } }
    const span = tracer.startSpan('undici', { kind: SpanKind.CLIENT }, context.active())
    const headers: Record<string, string> = {}
    propagation.inject(trace.setSpan(context.active(), span), headers)
    for (const [name, value] of Object.entries(headers)) request.addHeader(name, value)
    span.end()
  }
  subscribe('undici:request:create', onRequest)
  onTestFinished(() => void unsubscribe('undici:request:create', onRequest))
}

forEachTransport(
  '$name: next to an instrumentation of undici, a request has one traceparent, which names the span of its attempt',
  async (transport) => {
    instrumentUndici()
    const server = await loopbackServer(success([]))
    const client = clientWith({ baseUrl: server.url, ...transport.options })
    onTestFinished(() => client.close())
    const baggage = propagation.createBaggage({ person: { value: 'ada' } })

    await context.with(propagation.setBaggage(context.active(), baggage), () => client.sessions.list())
    await clientWith({
      baseUrl: server.url,
      ...transport.options,
      instrumentation: openTelemetry({ tracer, propagate: false }),
    }).sessions.list()

    const [own, other] = server.requests.map(({ headers }) => headers)
    const [ownSpan] = named('sessions.list')
    expect(own?.traceparent).toMatch(new RegExp(`^00-[0-9a-f]{32}-${ownSpan?.spanContext().spanId}-01$`))
    expect(own?.baggage).toBeUndefined()
    // With propagate false, it is that of the instrumentation.
    expect(named('undici').map((span) => span.spanContext().spanId)).toEqual([String(other?.traceparent).split('-')[2]])
  },
)

it('a header that the caller sets wins over that of the instrumentation', async () => {
  requests.length = 0
  await clientWith().sessions.list({}, { headers: { traceparent: 'own' } })
  expect(requests[0]?.headers.get('traceparent')).toBe('own')
})

it('a webhook is a span, and what its callback and its store do are child spans', async () => {
  const { secret } = emulator.webhooks
  const store = memoryStore()
  const client = clientWith()
  const session = await client.sessions.create({ workflow_id: 'wf_1' })
  spanExporter.reset()
  const handler = createWebhookHandler({
    secret,
    store,
    instrumentation,
    onError: () => {},
    on: { 'verification.approved': () => client.sessions.retrieve(session.session_id) },
  })
  const event = { event_id: 'evt_1', type: 'verification.approved', session_id: session.session_id } as const

  await handler.handle(await signWebhook({ event, secret }))
  await handler.handle(await signWebhook({ event, secret }))
  await handler.handle({ body: '{}', headers: {} })

  const deliveries = named('webhooks.handle')
  expect(deliveries.map(({ attributes, status }) => [attributes, status.code])).toEqual([
    [{ 'svc.webhook.outcome': 'processed', 'svc.webhook.event_type': 'verification.approved' }, SpanStatusCode.UNSET],
    [{ 'svc.webhook.outcome': 'duplicate', 'svc.webhook.event_type': 'verification.approved' }, SpanStatusCode.UNSET],
    [{ 'svc.webhook.outcome': 'rejected', 'error.type': 'webhook_refused' }, SpanStatusCode.UNSET],
  ])
  const first = deliveries[0]?.spanContext().spanId
  expect(named('sessions.retrieve').map(parentOf)).toEqual([first])
  expect(spans().filter((span) => parentOf(span) === first && span.name.startsWith('store.')).length).toBeGreaterThan(1)
})

it('a processor, a sign-in, a token manager and a verification manager are spans', async () => {
  const { oidc: options, verification } = emulator.options
  const oidc = new OidcClient({ ...options, fetch, instrumentation })
  const store = memoryStore()
  const tokens = createTokenManager({ oidc, store })
  const cookieSecret = 'a secret of thirty-two characters'
  const signIn = createSignInHandler({
    oidc,
    store,
    cookieSecret,
    onSignIn: (signedIn) => tokens.save('ada', signedIn).then(() => new Response()),
  })
  const login = await signIn.fetch(new Request('https://app.example.com/login'))
  const callback = emulator.signIn.approve(String(login.headers.get('location')))
  await signIn.fetch(
    new Request(callback, {
      headers: { cookie: String(login.headers.get('set-cookie')).split(';')[0] ?? '' },
    }),
  )
  await tokens.getAccessToken('ada')
  await tokens.getAccessToken('nobody').catch(() => {})
  const verifications = createVerificationManager({
    client: new VerificationClient({ ...verification, fetch, instrumentation }),
    store,
    session: { workflow_id: 'wf_1' },
  })
  const started = await verifications.start('ada')
  const processor = createEventProcessor({ consumers: [verifications], instrumentation })
  await processor.process({
    event_id: 'evt_2',
    type: 'verification.approved',
    session_id: String(started.sessionId),
    vendor_data: 'ada',
  } as never)

  const names = spans().map(({ name, status }) => [name, status.code === SpanStatusCode.ERROR])
  for (const expected of [
    ['signIn.login', false],
    ['signIn.callback', false],
    ['oidc.exchangeCode', false],
    ['tokenManager.save', false],
    ['tokenManager.getAccessToken', false],
    ['tokenManager.getAccessToken', true],
    ['verifications.start', false],
    ['sessions.create', false],
    ['webhooks.process', false],
    ['verifications.handle', false],
  ])
    expect(names).toContainEqual(expected)
  const [start] = named('verifications.start')
  expect(named('sessions.create').map(parentOf)).toEqual([start?.spanContext().spanId])
})

it('no span and no metric contains an id, a value of a request or of a response', async () => {
  const { org: roster, verification } = emulator.options
  const org = new OrgClient({ ...roster, fetch, instrumentation })
  const client = clientWith()
  await client.sessions.create({
    workflow_id: 'wf_1',
    vendor_data: 'canary-4711',
    metadata: { canary: 'canary-4711' },
  })
  await client.sessions.list({ vendor_data: 'canary-4711' })
  await client.sessions.retrieve('canary-4711').catch(() => {})
  await client.request({ method: 'GET', path: '/api/v2/canary-4711', query: { q: 'canary-4711' } }).catch(() => {})
  await org.members.add({ members: [{ email: 'canary-4711@example.com', first_name: 'canary-4711' }] })
  await org.members.resolve({ email: 'canary-4711@example.com' })
  const seen = await recorded()
  expect(spans().length).toBeGreaterThan(5)
  expect(seen).not.toMatch(/canary/i)
  expect(seen).not.toContain(verification.apiKey)
})

it('no span and no metric contains a value of any response', async () => {
  for (const { call, data } of operations) {
    const body = { success: true, data: withCanaries(data), error: null }
    const answering: typeof fetch = async () => Response.json(body, { headers: { 'x-request-id': 'canary-4711' } })
    await Promise.resolve(call(clientWith({ fetch: answering }))).catch(() => {})
  }
  const errors = { success: false, data: null, error: { code: 'canary_code', message: 'canary-4711' } }
  const failing: typeof fetch = async () => Response.json(errors, { status: 422 })
  await clientWith({ fetch: failing, maxRetries: 0 })
    .sessions.list()
    .catch(() => {})
  const seen = await recorded()
  expect(spans().length).toBeGreaterThan(operations.length)
  expect(seen).not.toMatch(/canary|47110815/i)
})

it.each([
  [{ tracer: {} }, 'tracer must be a Tracer'],
  [{ meter: {} }, 'meter must be a Meter'],
  [{ propagate: 'no' }, 'propagate must be true or false'],
  [{ sampler: 1 }, 'sampler is not an option'],
])('a wrong option is rejected: %j', (options, message) => {
  expect(() => openTelemetry(options as never)).toThrow(ConfigurationError)
  expect(() => openTelemetry(options as never)).toThrow(message)
})

it('the defaults are the global tracer and meter, also if they are registered after the first call', async () => {
  const client = clientWith({ instrumentation: openTelemetry() })
  await client.sessions.list()
  trace.setGlobalTracerProvider(tracing)
  metrics.setGlobalMeterProvider(metering)
  try {
    await client.sessions.list()
    await reader.forceFlush()
    expect(named('sessions.list').map((span) => span.instrumentationScope.name)).toEqual(['identity-service-sdk'])
    const recorded = metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics)
    expect(recorded.map(({ scope, metrics: [metric] }) => [scope.name, metric?.descriptor.name])).toEqual([
      ['identity-service-sdk', 'http.client.request.duration'],
    ])
  } finally {
    trace.disable()
    metrics.disable()
  }
})

/** Registers providers as an application does with another version of the API. */
function registeredIn(version: string, providers: object = { trace: tracing }) {
  const registry = globalThis as { [key: symbol]: object | undefined }
  const key = Symbol.for('opentelemetry.js.api.1')
  const before = registry[key]
  registry[key] = { version, ...providers }
  onTestFinished(() => {
    registry[key] = before
  })
}

it.each([[{ trace: tracing }], [{ metrics: metering }]])(
  'says once that the SDK is registered in an older copy of the API, whose records are lost: %#',
  async (providers) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const client = new VerificationClient({ ...emulator.options.verification, instrumentation: openTelemetry() })
    await client.sessions.list()
    expect(log).not.toHaveBeenCalled()

    registeredIn('1.2.0', providers)
    await client.sessions.list()
    await client.sessions.list()

    expect(spanExporter.getFinishedSpans()).toEqual([])
    expect(log.mock.calls).toEqual([
      [
        expect.stringContaining(
          'your SDK is registered in @opentelemetry/api 1.2.0, and identity-service-sdk has loaded',
        ),
      ],
    ])
  },
)

it('says nothing of a copy of the API that it can use, or of a tracer that it got', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  const clientWith = (options: Parameters<typeof openTelemetry>[0]) =>
    new VerificationClient({ ...emulator.options.verification, instrumentation: openTelemetry(options) })

  registeredIn('1.99.0')
  await clientWith({}).sessions.list()
  registeredIn('1.2.0')
  await clientWith({ tracer }).sessions.list()

  expect(spanExporter.getFinishedSpans()).toHaveLength(2)
  expect(log).not.toHaveBeenCalled()
})
