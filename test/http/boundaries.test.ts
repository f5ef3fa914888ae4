import { expect, it } from 'vitest'
import type { RequestEvent } from '../../src/index.ts'
import { images } from '../support/fixtures.ts'
import { loopbackServer, respondWith } from '../support/loopback-server.ts'
import { fail, respond, scriptedFetch } from '../support/scripted-fetch.ts'
import { clientOver, forEachTransport } from '../support/transports.ts'
import { testClient } from '../support/verification-client.ts'

const hearing = () => {
  const events: RequestEvent[] = []
  return { events, onEvent: (event: RequestEvent) => void events.push(event) }
}

forEachTransport(
  '$name: an answer that cannot be read is an event with its status and its id',
  async (transport) => {
    const { events, onEvent } = hearing()
    const server = await loopbackServer(respondWith(200, 'no gzip', { 'content-encoding': 'gzip' }))
    const { client } = clientOver(transport, server.url, { onEvent, maxRetries: 0 })

    await client.sessions.retrieve('s').catch(() => {})

    expect(events).toMatchObject([
      { type: 'request' },
      { type: 'response', status: 200, requestId: 'req_1', durationMs: 0 },
      { type: 'error', error: { code: 'invalid_response' } },
    ])
  },
)

forEachTransport('$name: a 300 that cannot be read is a redirect', async (transport) => {
  const server = await loopbackServer(respondWith(300, 'no gzip', { 'content-encoding': 'gzip' }))
  const { client } = clientOver(transport, server.url)

  await expect(client.sessions.retrieve('s')).rejects.toMatchObject({ name: 'ApiError', code: 'http_300' })
})

it('events tell how long an attempt and a call took, waits included, and hold nothing that is not known', async () => {
  const { events, onEvent } = hearing()
  const { fetch } = scriptedFetch(
    () => new Response('', { status: 503 }),
    (signal) => {
      passTime(70)
      return fail(404, 'not_found')(signal)
    },
  )
  const { client, passTime } = testClient({ fetch, onEvent })
  passTime(1_000)

  await client.sessions.retrieve('s').catch(() => {})

  const common = {
    callId: events[0]?.callId,
    operation: 'sessions.retrieve',
    method: 'GET',
    path: '/api/v2/session/{id}',
  }
  expect(events).toStrictEqual([
    { ...common, type: 'request', attempt: 1 },
    { ...common, type: 'response', attempt: 1, status: 503, durationMs: 0 },
    { ...common, type: 'retry', attempt: 1, delayMs: 500, error: expect.any(Error) },
    { ...common, type: 'request', attempt: 2 },
    { ...common, type: 'response', attempt: 2, status: 404, durationMs: 70, requestId: 'req_1' },
    { ...common, type: 'error', attempt: 2, durationMs: 570, error: expect.any(Error) },
  ])
})

it('a fetch that lets go of a body lets go of the stream in it', async () => {
  let isOpen = true
  async function* photo() {
    try {
      for (;;) yield images.png
    } finally {
      isOpen = false
    }
  }
  const open: boolean[] = []
  const fetch = async (_: unknown, init: RequestInit = {}) => {
    const reader = (init.body as ReadableStream<Uint8Array>).getReader()
    for (let chunks = 0; chunks < 4; chunks++) await reader.read()
    open.push(isOpen)
    await reader.cancel()
    open.push(isOpen)
    return respond(413)(new AbortController().signal)
  }
  const { client } = testClient({ fetch, maxRetries: 0 })

  await expect(client.checks.liveness({ image: photo() })).rejects.toMatchObject({ status: 413 })
  expect(open).toEqual([true, false])
})

it.each([
  [{ maxRetries: 1 }, {}, 2],
  [{ maxRetries: 1 }, { maxRetries: 2 }, 3],
  [{ maxRetries: 1 }, { maxRetries: 0 }, 1],
  [{ deadlineMs: 600 }, {}, 2],
  [{ deadlineMs: 600 }, { deadlineMs: 10_000 }, 3],
])(
  'a change of status has the bounds of the client %j and of the call %j: %i attempts',
  async (ours, theirs, attempts) => {
    const { fetch, requests: given } = scriptedFetch(fail(429, 'rate_limited'))
    const { client } = testClient({ fetch, ...ours })

    await client.sessions.updateStatus('s', { status: 'DECLINED' }, theirs).catch(() => {})

    expect(given.filter(({ method }) => method === 'PATCH')).toHaveLength(attempts)
  },
)
