import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { documentedCode } from '../support/documented-code.ts'

const guide = documentedCode('docs/guides/observability.md', { runsAllBlocks: false })
const { emulator } = guide

beforeAll(async () => {
  const packages = fileURLToPath(new URL('node_modules/@opentelemetry', import.meta.url))
  await symlink(packages, join(guide.installed.project, 'node_modules/@opentelemetry'))
})

interface Span {
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status: { readonly code: number; readonly message?: string }
  readonly parentSpanContext?: { readonly spanId: string }
  spanContext(): { readonly spanId: string }
}

interface Tracing {
  onEvent(event: object): void
}

const spans: Span[] = []
const exporter = {
  export(batch: readonly Span[], done: (result: { code: number }) => void) {
    spans.push(...batch)
    done({ code: 0 })
  },
  shutdown: async () => {},
}

it('each attempt is a child span of the active span, with its operation, number, status and request id', async () => {
  const tracing = await guide.load<Tracing>('Traces')
  emulator.faults.add({ reset: true })
  emulator.faults.add({ status: 503, headers: { 'retry-after': '0' } })

  await guide.run('Traces 2', {
    modules: { './exporter.js': { exporter }, './tracing.js': { ...tracing } },
  })

  const parent = spans.find(({ name }) => name === 'sign-up')
  const attempts = spans.filter((span) => span !== parent)
  expect(attempts.map(({ name, attributes, status }) => ({ name, attributes, status }))).toEqual(
    [
      { status: { code: 2, message: 'connection_failed' } },
      { status: { code: 2, message: '503' }, statusCode: 503 },
      { status: { code: 0 }, statusCode: 200 },
    ].map(({ status, statusCode }, index) => ({
      name: 'sessions.list',
      status,
      attributes: {
        'svc.operation': 'sessions.list',
        'svc.attempt': index + 1,
        'http.request.method': 'GET',
        'url.template': '/api/v2/session',
        ...(statusCode && {
          'http.response.status_code': statusCode,
          'svc.request_id': expect.stringMatching(/^req_/),
        }),
      },
    })),
  )
  for (const { parentSpanContext } of attempts)
    expect(parentSpanContext?.spanId).toBe(parent?.spanContext().spanId)
})

const concurrentCalls = `
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { VerificationClient } from 'identity-service-sdk'
import { onEvent } from './tracing.mjs'

const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
const client = new VerificationClient({ onEvent })
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
  name, message: status.message, parent: nameOf(parentSpanContext?.spanId),
}))))
`

it('concurrent calls have separate parent spans, and a failed call has its status as the message', async () => {
  const { project, run } = guide.installed
  await writeFile(join(project, 'tracing.mjs'), await guide.script('Traces'))

  const printed = JSON.parse(
    await run('concurrent-calls.mjs', concurrentCalls, guide.environment()),
  ) as object[]

  expect(printed).toHaveLength(6)
  expect(printed).toEqual(
    expect.arrayContaining([
      { name: 'one' },
      { name: 'two' },
      { name: 'lost' },
      { name: 'sessions.list', parent: 'one' },
      { name: 'sessions.list', parent: 'two' },
      { name: 'sessions.retrieve', parent: 'lost', message: '404' },
    ]),
  )
})
