import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { documentedCode } from '../support/documented-code.ts'
import { describeWith, requireBinary } from '../support/programs.ts'

const guide = documentedCode('docs/guides/observability.md', { runsAllBlocks: false })
const { emulator } = guide

beforeEach(() => emulator.reset())

interface Span {
  readonly name: string
  readonly id: string
  readonly parent?: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** The reader's exporter, which prints spans. */
const exporter = `
export const exporter = {
  export(batch, done) {
    for (const span of batch) {
      const { name, attributes, parentSpanContext } = span
      console.log(JSON.stringify({ name, id: span.spanContext().spanId, parent: parentSpanContext?.spanId, attributes }))
    }
    done({ code: 0 })
  },
  shutdown: async () => {},
}`

/** Runs a program on Node 22, which SDK 3 requires. @returns the spans that it exported */
async function spansOf(source: string): Promise<Span[]> {
  await writeFile(join(guide.installed.project, 'exporter.ts'), exporter)
  const printed = await guide.installed.run('traces.mjs', source, guide.environment(), requireBinary('node-22'))
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** What the page says of SDK 2. */
const onSdk2 = (source: string) =>
  source
    .replace('TracerProvider }', 'BasicTracerProvider }')
    .replace('sdk-trace"', 'sdk-trace-base"')
    .replace('new TracerProvider(', 'new BasicTracerProvider(')
    .replace('BatchSpanProcessor({ exporter })', 'BatchSpanProcessor(exporter)')

describeWith('node-22', 'that the samples of traces export spans', () => {
  it.each([
    ['SDK 3', (source: string) => source],
    ['SDK 2', onSdk2],
  ])(
    '%s: each attempt is a child of the active span, with the attributes of the semantic conventions',
    async (_, change) => {
      emulator.faults.add({ reset: true })
      emulator.faults.add({ status: 503, headers: { 'retry-after': '0' } })

      const spans = await spansOf(change(await guide.script('Traces')))

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
      expect(new Set(attempts.map((span) => span.parent))).toEqual(new Set([parent?.id]))
    },
    30_000,
  )

  it('Sentry 11: an attempt is a child of the active span, and its request carries the trace, without a warning', async () => {
    const sample = await guide.script('Traces 2')
    const reports = `
      traceLifecycle: 'static',
      beforeSendTransaction: ({ contexts: { trace }, spans }) => {
        for (const { description, parent_span_id } of spans)
          if (description === 'sessions.list') console.log(JSON.stringify([trace.trace_id, parent_span_id === trace.span_id]))
        return null
      },`
    const source = sample.replace('Sentry.init({', `console.warn = console.log\nSentry.init({${reports}`)
    const env = guide.environment({ SENTRY_DSN: 'http://key@127.0.0.1:9/1' })

    const printed = await guide.installed.run('sentry.mjs', source, env, requireBinary('node-22'))

    const [trace, isChild] = JSON.parse(printed)
    expect(isChild).toBe(true)
    expect(emulator.requests.map(({ headers }) => headers['sentry-trace'])).toEqual([expect.stringContaining(trace)])
  }, 30_000)
})

const concurrentCalls = `
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { VerificationClient } from 'identity-service-sdk'
import { openTelemetry } from 'identity-service-sdk/opentelemetry'

const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
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
