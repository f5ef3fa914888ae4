import { builtEntry, ownDependency, sdk } from '../own.js'
import { peer } from '../peers.js'

const apiKey = 'key_bench_0123456789'
const params = { workflow_id: 'wf_1', vendor_data: 'user-42' }
const path = '/api/v2/session'
const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }

/**
 * Registers the OpenTelemetry SDK as a program does. Spans are collected in batches, and exported to nothing. Returns a
 * function that runs work as a request of a server does: in the context of its span.
 */
async function registerSdk() {
  const { context, metrics, propagation, trace } = await peer('@opentelemetry/api')
  const { AsyncLocalStorageContextManager } = await peer('@opentelemetry/context-async-hooks')
  const { W3CTraceContextPropagator } = await peer('@opentelemetry/core')
  const { BasicTracerProvider, BatchSpanProcessor } = await peer('@opentelemetry/sdk-trace-base')
  const { MeterProvider } = await peer('@opentelemetry/sdk-metrics')
  const exporter = {
    export: (/** @type {unknown} */ _, /** @type {(result: object) => void} */ done) => done({ code: 0 }),
    shutdown: async () => {},
  }
  const spanProcessors = [new BatchSpanProcessor(exporter, { maxQueueSize: 10_000 })]
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }))
  metrics.setGlobalMeterProvider(new MeterProvider())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const span = trace.getTracer('bench').startSpan('request')
  const served = trace.setSpan(context.active(), span)
  return (/** @type {() => PromiseLike<unknown>} */ work) => () => context.with(served, work)
}

/**
 * A small POST through this package and through undici alone, each without telemetry and with it.
 *
 * @param {string} origin
 * @returns {Record<string, () => Promise<() => PromiseLike<unknown>>>}
 */
export function works(origin) {
  /** In the context of a request, but without an instrumentation. */
  const inContext = async (/** @type {() => PromiseLike<unknown>} */ work) => (await registerSdk())(work)
  const own = (/** @type {object} */ options = {}) => {
    const client = new sdk.VerificationClient({ baseUrl: origin, apiKey, ...options })
    return () => client.sessions.create(params)
  }
  const bare = async () => {
    const { Pool } = await ownDependency('undici')
    const pool = new Pool(origin)
    return async () => {
      const { body } = await pool.request({ path, method: 'POST', headers, body: JSON.stringify(params) })
      return body.json()
    }
  }
  return {
    'sessions.create': () => inContext(own()),
    'sessions.create (control)': () => inContext(own()),
    'sessions.create with openTelemetry()': async () => {
      const inRequest = await registerSdk()
      const { openTelemetry } = await import(builtEntry('opentelemetry').href)
      return inRequest(own({ instrumentation: openTelemetry() }))
    },
    'undici.request': async () => inContext(await bare()),
    'undici.request with instrumentation-undici': async () => {
      const inRequest = await registerSdk()
      const { UndiciInstrumentation } = await peer('@opentelemetry/instrumentation-undici')
      new UndiciInstrumentation().enable()
      return inRequest(await bare())
    },
  }
}
