import { beforeEach, expect, it } from 'vitest'
import { errorCatalog } from '../../src/contract/errors/catalog.ts'
import { type RequestEvent, VerificationClient } from '../../src/index.ts'
import { createWebhookHandler } from '../../src/webhooks.ts'
import { documentedCode } from '../support/documented-code.ts'
import { recordingLogger } from '../support/recording-logger.ts'
import { aDelivery, clockAt, secret, signedAt } from '../support/webhook.ts'
import { columnOf } from './reading.ts'

const page = 'docs/guides/observability.md'
const guide = documentedCode('docs/guides/observability.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

it('a logger without debug records only retries and failures', async () => {
  expect(await guide.run('Observability')).toBe('')

  emulator.faults.add({ status: 503, headers: { 'retry-after': '0' } })
  expect(await guide.run('Observability')).toMatch(/^sessions\.list retry \{[\s\S]*ServerError/)
})

/** Records the log levels and events of a call that is retried once, of a call that fails, and of a webhook. */
async function recorded() {
  const events: RequestEvent[] = []
  const { logger, records } = recordingLogger()
  const client = new VerificationClient({
    ...emulator.options.verification,
    logger,
    onEvent: (event) => {
      events.push(event)
      if (event.type === 'error') throw new Error('the hook broke')
    },
  })
  emulator.faults.add({ status: 503, headers: { 'retry-after': '0' } })
  await client.sessions.list()
  await client.sessions.retrieve('sess_unknown').catch(() => {})
  await createWebhookHandler({ secret, now: clockAt(signedAt), logger, onUnhandled: () => {} }).handle(
    await aDelivery(),
  )
  return { levels: new Set(records.map(([level]) => level)), events }
}

it('the tables list every log level and event type, with the fields of each event', async () => {
  const { levels, events } = await recorded()
  const common = ['type', 'callId', 'operation', 'method', 'path', 'attempt']
  const extraFields = (type: string) => {
    const fields = events.filter((event) => event.type === type).flatMap((event) => Object.keys(event))
    return [...new Set(fields)].filter((name) => !common.includes(name)).sort()
  }
  const types = columnOf(page, 'Events')
  const documentedFields = columnOf(page, 'Events', 2).map((cell) =>
    ['delayMs', 'durationMs', 'error', 'requestId', 'status'].filter((name) => cell.includes(name)),
  )

  expect(columnOf(page, 'Logs').sort()).toEqual([...levels].sort())
  expect(types.sort()).toEqual([...new Set(events.map(({ type }) => type))].sort())
  expect(columnOf(page, 'Events').map(extraFields)).toEqual(documentedFields)
})

it('counts responses and failures by operation', async () => {
  expect(await guide.run('Metrics')).toBe(
    'responses sessions.list 200 1\nresponses sessions.retrieve 404 1\nfailures sessions.retrieve not_found 1\n',
  )
})

it('the tracing examples are run by the tests with separately installed packages', () => {
  guide.testedElsewhere('Traces', 'test/runtimes/opentelemetry.test.ts')
  guide.testedElsewhere('Traces 2', 'test/runtimes/opentelemetry.test.ts')
})

it('the monitoring table names only codes and reasons that exist', () => {
  const words = columnOf(page, 'Monitor').flatMap((cell) => cell.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [])
  const own = [
    ...columnOf('docs/reference/errors.md', 'Properties by class', 1),
    ...columnOf('docs/reference/webhook-rejections.md', 'Rejections'),
    ...columnOf('docs/guides/access-tokens.md', 'Keep tokens valid'),
  ]

  expect(words.filter((word) => !(word in errorCatalog() || own.includes(word)))).toEqual(['keys_unavailable'])
})
