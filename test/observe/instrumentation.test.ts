import { expect, it } from 'vitest'
import {
  ConfigurationError,
  configure,
  createTokenManager,
  createWebhookHandler,
  type Instrumentation,
  memoryStore,
  type ObservedResult,
  type ObservedWork,
  signWebhook,
} from '../../src/index.ts'
import { aSession } from '../support/fixtures.ts'
import { hookRecorder } from '../support/hook-recorder.ts'
import { printed } from '../support/printed.ts'
import { respond, scriptedFetch } from '../support/scripted-fetch.ts'
import { testClient } from '../support/verification-client.ts'

const success = respond(200, { success: true, data: aSession(), error: null })

/** An instrumentation that records what it observes. */
function recording(name = '') {
  const seen: unknown[] = []
  const instrumentation: Instrumentation = {
    start(work: ObservedWork) {
      seen.push([`${name}start`, work.operation])
      return {
        headers: { [`x-${name}observed`]: work.operation },
        run: (run) => {
          seen.push(`${name}run`)
          return run()
        },
        end: ({ status, error }: ObservedResult) => seen.push([`${name}end`, status, error === undefined]),
      }
    },
  }
  return { seen, instrumentation }
}

it('an instrumentation is called for each attempt: its start, its run and its end', async () => {
  const { seen, instrumentation } = recording()
  const { fetch } = scriptedFetch(respond(503, {}), success)

  await testClient({ fetch, instrumentation }).client.sessions.retrieve('sess_1')

  expect(seen).toEqual([
    ['start', 'sessions.retrieve'],
    'run',
    ['end', 503, false],
    ['start', 'sessions.retrieve'],
    'run',
    ['end', 200, true],
  ])
})

it('several instrumentations observe the same attempt, and the headers of all are sent', async () => {
  const [one, two] = [recording('a-'), recording('b-')]
  const { fetch, requests } = scriptedFetch(success)

  await testClient({
    fetch,
    instrumentation: [one.instrumentation, two.instrumentation],
  }).client.sessions.retrieve('sess_1')

  expect([one.seen.length, two.seen.length]).toEqual([3, 3])
  expect(Object.fromEntries(requests[0]?.headers ?? [])).toMatchObject({
    'x-a-observed': 'sessions.retrieve',
    'x-b-observed': 'sessions.retrieve',
  })
})

it('headers of an instrumentation never replace those of the client or of the call', async () => {
  const instrumentation: Instrumentation = {
    start: () => ({
      headers: { 'x-api-key': 'other', 'user-agent': 'other', 'x-own': 'other' },
      end: () => {},
    }),
  }
  const { fetch, requests } = scriptedFetch(success)

  const { client } = testClient({ fetch, instrumentation })
  await client.sessions.retrieve('sess_1', { headers: { 'x-own': 'mine' } })

  expect(Object.fromEntries(requests[0]?.headers ?? [])).toMatchObject({
    'x-api-key': 'key_test_0123456789abcdef',
    'user-agent': expect.stringContaining('identity-service-sdk/'),
    'x-own': 'mine',
  })
})

const broken = (): never => {
  throw new Error('broken')
}

const brokenInstrumentations: readonly (readonly [string, Instrumentation])[] = [
  ['start', { start: broken }],
  ['run before the work', { start: () => ({ run: broken, end: () => {} }) }],
  [
    'run after the work',
    {
      start: () => ({
        run(work) {
          work()
          return broken()
        },
        end: () => {},
      }),
    },
  ],
  ['end', { start: () => ({ end: broken }) }],
]

it.each(brokenInstrumentations)(
  'an instrumentation that throws in %s has no effect on the call, which is sent once',
  async (_, instrumentation) => {
    const { fetch, requests } = scriptedFetch(success)
    const { records, options } = hookRecorder()

    const session = await testClient({ fetch, instrumentation, ...options }).client.sessions.retrieve('sess_1')

    expect(session.session_id).toBe(aSession().session_id)
    expect(requests).toHaveLength(1)
    expect(printed(...records)).toContain('instrumentation threw')
  },
)

it('an instrumentation that observes nothing is not called again', async () => {
  const { fetch } = scriptedFetch(success)
  await testClient({ fetch, instrumentation: { start: () => undefined } }).client.sessions.retrieve('sess_1')
})

it.each([null, {}, [{}], 'otel'])('what is not an instrumentation is rejected: %j', (instrumentation) => {
  expect(() => testClient({ instrumentation } as never)).toThrow(ConfigurationError)
  expect(() => testClient({ instrumentation } as never)).toThrow('instrumentation must have a method start')
})

it('a token manager logs each call without its key or tokens', async () => {
  const { records, options } = hookRecorder()
  const oidc = { refresh: async () => Promise.reject(new Error('canary message')) }
  configure({ logger: options.logger })
  const manager = createTokenManager({ oidc, store: memoryStore() })

  await manager.getAccessToken('canary-key').catch(() => {})
  await manager.delete('canary-key')

  const ofManager = records.filter((record) => JSON.stringify(record).includes('tokenManager.'))
  expect(ofManager).toEqual([
    'tokenManager.getAccessToken failed',
    { operation: 'tokenManager.getAccessToken', error: 'token_manager', durationMs: expect.any(Number) },
    'tokenManager.delete succeeded',
    { operation: 'tokenManager.delete', durationMs: expect.any(Number) },
  ])
  expect(JSON.stringify(records)).not.toContain('canary')
})

it('a callback of a webhook runs inside of the observation of its delivery', async () => {
  const order: string[] = []
  const instrumentation: Instrumentation = {
    start: ({ operation }) => ({
      run: (work) => {
        order.push(`run ${operation}`)
        return work()
      },
      end: ({ outcome, eventType }) => void order.push(`end ${outcome} ${eventType}`),
    }),
  }
  const secret = 'whsec_0123456789abcdef'
  const handler = createWebhookHandler({
    secret,
    instrumentation,
    on: { 'verification.approved': () => void order.push('callback') },
  })
  const event = { event_id: 'evt_1', type: 'verification.approved', session_id: 'sess_1' } as const

  await handler.handle(await signWebhook({ event, secret }))

  expect(order).toEqual(['run webhooks.handle', 'callback', 'end processed verification.approved'])
})
