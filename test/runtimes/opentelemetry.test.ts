import { expect, it } from 'vitest'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/guides/observability.md', { runsAllBlocks: false })
const { emulator } = guide

interface Span {
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status: { readonly code: number; readonly message?: string }
  readonly parentSpanContext?: { readonly spanId: string }
  spanContext(): { readonly spanId: string }
}

const spans: Span[] = []
const exporter = {
  export(batch: readonly Span[], done: (result: { code: number }) => void) {
    spans.push(...batch)
    done({ code: 0 })
  },
  shutdown: async () => {},
}

it('each attempt is a child span of the active span, with the attributes of the semantic conventions', async () => {
  emulator.faults.add({ reset: true })
  emulator.faults.add({ status: 503, headers: { 'retry-after': '0' } })

  await guide.run('Traces', { modules: { './exporter.ts': { exporter } } })

  const parent = spans.find(({ name }) => name === 'sign-up')
  const attempts = spans.filter((span) => span !== parent)
  const ends = [
    { 'error.type': 'connection_failed' },
    { 'error.type': '503', 'http.response.status_code': 503, 'http.request.resend_count': 1 },
    { 'http.response.status_code': 200, 'http.request.resend_count': 2 },
  ]
  expect(attempts.map(({ name, attributes }) => ({ name, attributes }))).toEqual(
    ends.map((end) => ({
      name: 'sessions.list',
      attributes: {
        'http.request.method': 'GET',
        'url.template': '/api/v2/session',
        'server.address': expect.any(String),
        'server.port': expect.any(Number),
        ...end,
      },
    })),
  )
  for (const { parentSpanContext } of attempts) expect(parentSpanContext?.spanId).toBe(parent?.spanContext().spanId)
})

const concurrentCalls = `
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { VerificationClient } from 'identity-service-sdk'
import { openTelemetry } from 'identity-service-sdk/opentelemetry'

const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
const client = new VerificationClient({ instrumentation: openTelemetry() })
const inSpan = (name, call) => trace.getTracer('test').startActiveSpan(name, (span) =>
  call().then(() => {}, () => {}).then(() => span.end()))
await Promise.all([
  inSpan('one', () => client.sessions.list()),
  inSpan('two', () => client.sessions.list()),
  inSpan('lost', () => client.sessions.retrieve('sess_missing')),
])
const spans = exporter.getFinishedSpans()
const nameOf = (id) => spans.find((span) => span.spanContext().spanId === id)?.name
console.log(JSON.stringify(spans.map(({ name, status, parentSpanContext }) => ({
  name, code: status.code, parent: nameOf(parentSpanContext?.spanId),
}))))
`

it('concurrent calls have separate parent spans, and the span of a failed call has the status ERROR', async () => {
  const { run } = guide.installed

  const printed = JSON.parse(await run('concurrent-calls.mjs', concurrentCalls, guide.environment())) as object[]

  expect(printed).toHaveLength(6)
  expect(printed).toEqual(
    expect.arrayContaining([
      { name: 'one', code: 0 },
      { name: 'two', code: 0 },
      { name: 'lost', code: 0 },
      { name: 'sessions.list', code: 0, parent: 'one' },
      { name: 'sessions.list', code: 0, parent: 'two' },
      { name: 'sessions.retrieve', code: 2, parent: 'lost' },
    ]),
  )
})
