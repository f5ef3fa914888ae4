import { format } from 'node:util'
import { beforeEach, expect, it, vi } from 'vitest'
import {
  ConfigurationError,
  configure,
  createTokenManager,
  createVerificationManager,
  createWebhookHandler,
  type Instrumentation,
  memoryStore,
  OidcClient,
  signWebhook,
} from '../../src/index.ts'
import { aSession } from '../support/fixtures.ts'
import { printed } from '../support/printed.ts'
import { respond, scriptedFetch } from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { testClient } from '../support/verification-client.ts'

const found = respond(200, { success: true, data: aSession(), error: null })
const failed = respond(409, { success: false, error: { code: 'session_closed', message: 'canary' } })
const secret = 'whsec_0123456789abcdef'

/** A logger, and the messages of its records, each with its level. */
function aLogger() {
  const messages: string[] = []
  const at = (level: string) => (message: string) => void messages.push(`${level} ${message}`)
  return { messages, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } }
}

function anInstrumentation() {
  const operations: string[] = []
  const instrumentation: Instrumentation = {
    start: ({ operation }) => ({ end: () => void operations.push(operation) }),
  }
  return { operations, instrumentation }
}

const clientThat = (...responses: (typeof found)[]) => testClient({ fetch: scriptedFetch(...responses).fetch })

it('configure sets the logger and the instrumentation of clients and handlers that exist already', async () => {
  const { client } = clientThat(found)
  const handler = createWebhookHandler({ secret, onUnhandled: () => {} })
  const { logger, messages } = aLogger()
  const { instrumentation, operations } = anInstrumentation()

  configure({ logger, instrumentation })
  await client.sessions.retrieve('sess_1')
  await handler.handle({ body: '{}', headers: {} })

  expect(messages).toEqual([
    'debug sessions.retrieve request',
    'debug sessions.retrieve response',
    expect.stringMatching(/^warn a webhook was rejected/),
  ])
  expect(operations).toEqual(['sessions.retrieve', 'webhooks.handle'])
})

it("a client's own logger, instrumentation and errorDetail win over those of configure", async () => {
  const [ours, own] = [aLogger(), aLogger()]
  const [observing, observed] = [anInstrumentation(), anInstrumentation()]
  configure({ logger: ours.logger, instrumentation: observing.instrumentation, errorDetail: 'full' })
  const { instrumentation } = observed
  const { client } = testClient({
    fetch: scriptedFetch(failed).fetch,
    logger: own.logger,
    instrumentation,
    errorDetail: 'safe',
  })

  const error = await thrownBy(client.sessions.retrieve('sess_1'))

  expect(printed(error)).not.toContain('canary')
  expect(ours.messages).toEqual([])
  expect(observing.operations).toEqual([])
  expect(own.messages).toHaveLength(3)
  expect(observed.operations).toEqual(['sessions.retrieve'])
})

it('what is made from a client reports to the logger and the instrumentation of the client', async () => {
  const { logger, messages } = aLogger()
  const { instrumentation, operations } = anInstrumentation()
  const { client } = testClient({ logger, instrumentation })
  const oidc = new OidcClient({
    baseUrl: 'https://id.example.test',
    clientId: 'id',
    clientSecret: 'secret',
    logger,
    instrumentation,
  })
  const store = memoryStore()

  await createVerificationManager({ client, store, session: {} }).get('user-1')
  await createTokenManager({ oidc, store }).delete('user-1')

  const made = ['store.get', 'verifications.get', 'store.delete', 'tokenManager.delete']
  expect(operations).toEqual(made)
  expect(messages).toEqual(made.map((operation) => `debug ${operation} succeeded`))
})

it('configure sets whether errors show what others wrote, and the last call counts as a whole', async () => {
  vi.stubEnv('SVC_ERROR_DETAIL', 'safe')
  const { logger, messages } = aLogger()
  const { client } = clientThat(failed, failed)

  configure({ errorDetail: 'full' })
  expect(await thrownBy(client.sessions.retrieve('sess_1'))).toMatchObject({
    message: expect.stringContaining('canary'),
  })
  configure({ logger })
  configure({})
  expect(printed(await thrownBy(client.sessions.retrieve('sess_1')))).not.toContain('canary')
  expect(messages).toEqual([])
})

it.each([
  [{ log: console }, /^configure: log is not an option. Did you mean logger\?/],
  [{ logger: {} }, /^configure: logger must have the methods/],
  [{ instrumentation: 'otel' }, /^configure: instrumentation must/],
  [{ errorDetail: 'all' }, /^configure: errorDetail must be 'full' or 'safe'/],
])('configure rejects %j', (options, message) => {
  expect(() => configure(options as never)).toThrow(ConfigurationError)
  expect(() => configure(options as never)).toThrow(message)
})

const lines: string[] = []

beforeEach(() => {
  lines.length = 0
  for (const method of ['debug', 'info', 'warn', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((...line) => void lines.push(`${method} ${format(...line)}`))
})

it.each([
  ['debug', ['debug', 'debug', 'warn']],
  ['info', ['warn']],
  ['warn', ['warn']],
  ['error', []],
])('SVC_LOG=%s writes the records of these levels to console.error: %j', async (level, written) => {
  vi.stubEnv('SVC_LOG', level)

  await clientThat(failed)
    .client.sessions.retrieve('sess_1')
    .catch(() => {})

  const start = /^error identity-service-sdk: (\w+) sessions\.retrieve /
  expect(lines.map((line) => start.exec(line)?.[1])).toEqual(written)
})

it.each(['verbose', 'off', 'DEBUG'])('SVC_LOG=%s is rejected, with the levels', (level) => {
  vi.stubEnv('SVC_LOG', level)

  expect(() => testClient()).toThrow(ConfigurationError)
  expect(() => testClient()).toThrow('SVC_LOG must be debug, info, warn, error, or not set')
})

it('a delivery that was handled is one record of the level info, with its outcome', async () => {
  const { logger, messages } = aLogger()
  const handler = createWebhookHandler({ secret, onUnhandled: () => {}, logger })
  const event = { event_id: 'evt_1', type: 'verification.expired', session_id: 'sess_1' } as const

  for (let i = 0; i < 2; i++) await handler.handle(await signWebhook({ event, secret }))

  expect(messages).toEqual(['info webhooks.handle unhandled', 'info webhooks.handle duplicate'])
})

it('a logger wins over SVC_LOG', async () => {
  vi.stubEnv('SVC_LOG', 'debug')
  const { logger, messages } = aLogger()

  await testClient({ fetch: scriptedFetch(found).fetch, logger }).client.sessions.retrieve('sess_1')

  expect(lines).toEqual([])
  expect(messages).toHaveLength(2)
})
