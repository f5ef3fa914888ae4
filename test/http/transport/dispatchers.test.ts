import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { Agent, type Dispatcher, interceptors, MockAgent, Pool } from 'undici'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ApiError } from '../../../src/errors.ts'
import { aSession } from '../../support/fixtures.ts'
import { loopbackServer, reset, respondWith, success } from '../../support/loopback-server.ts'
import { baseUrl, testClient } from '../../support/verification-client.ts'

const envelope = { success: true, data: aSession() }
const text = JSON.stringify(envelope)

const through = (
  dispatcher: { dispatch: Dispatcher['dispatch'] | ((...call: never[]) => unknown) },
  url = baseUrl,
) => testClient({ baseUrl: url, fetch: undefined, dispatcher }).client

it('a MockAgent answers the calls of a client', async () => {
  const agent = new MockAgent()
  agent.disableNetConnect()
  onTestFinished(() => agent.close())
  agent
    .get(baseUrl)
    .intercept({ path: '/api/v2/session/sess_1', headers: { 'x-api-key': /^key_/ } })
    .reply(200, envelope, { headers: { 'x-request-id': 'req_mock', 'set-cookie': 'a=1' } })

  const { data, response } = await through(agent).sessions.retrieve('sess_1').withResponse()

  expect(data).toEqual(aSession())
  expect(response).toMatchObject({ status: 200, requestId: 'req_mock' })
  expect(response.headers.getSetCookie()).toEqual(['a=1'])
  agent.assertNoPendingInterceptors()
})

it('an error of a MockAgent is a ConnectionError', async () => {
  const agent = new MockAgent()
  onTestFinished(() => agent.close())
  agent.get(baseUrl).intercept({ path: /.*/, method: 'POST' }).replyWithError(new Error('no route'))

  await expect(through(agent).sessions.create({}, { maxRetries: 0 })).rejects.toMatchObject({
    name: 'ConnectionError',
    cause: { message: 'no route' },
  })
})

it.each([
  ['an Agent', () => new Agent()],
  ['a composed Agent', () => new Agent().compose(interceptors.dns())],
  [
    'an Agent behind an interceptor of the old kind',
    () =>
      new Agent().compose((dispatch) => (options, handler) => dispatch({ ...options, reset: true }, handler)),
  ],
])('%s carries the calls of a client', async (_, make) => {
  const server = await loopbackServer(respondWith(503), success())
  const dispatcher = make()
  onTestFinished(() => dispatcher.destroy())

  await expect(through(dispatcher, server.url).sessions.retrieve('s')).resolves.toEqual(aSession())
  expect(server.requests).toHaveLength(2)
})

it('a dispatcher of the caller is not closed with the client', async () => {
  const server = await loopbackServer()
  const dispatcher = new Pool(server.url)
  onTestFinished(() => dispatcher.destroy())
  const client = through(dispatcher, server.url)
  await client.sessions.retrieve('s')

  await client.close()

  expect(dispatcher.closed).toBe(false)
})

it('headersTimeout and bodyTimeout of undici do not cut into timeoutMs', async () => {
  const options: Dispatcher.DispatchOptions[] = []
  const server = await loopbackServer()
  const dispatcher = new Agent().compose((dispatch) => (given, handler) => {
    options.push(given)
    return dispatch(given, handler)
  })
  onTestFinished(() => dispatcher.destroy())

  await through(dispatcher, server.url).sessions.retrieve('s')

  expect(options).toMatchObject([{ headersTimeout: 0, bodyTimeout: 0 }])
})

type Old = {
  onConnect(abort: (reason?: Error) => void): void
  onHeaders(status: number, headers: Buffer[], resume: () => void, text: string): boolean
  onData(chunk: Buffer): boolean
  onComplete(trailers: Buffer[]): void
  onError(error: Error): void
}

interface Controller {
  abort(reason: Error): void
  readonly aborted: boolean
}

type New = {
  onRequestStart(controller: Controller, context: object): void
  onResponseStart(controller: Controller, status: number, headers: Record<string, string | string[]>): void
  onResponseData(controller: Controller, chunk: Buffer): void
  onResponseEnd(controller: Controller, trailers: object): void
  onResponseError(controller: Controller, error: Error): void
}

const halves = [Buffer.from(text.slice(0, 9)), Buffer.from(text.slice(9))]

/** Speaks as the dispatchers of undici 6 do, and knows nothing else. */
const oldDispatcher = (talk: (handler: Old) => void) => ({
  dispatch(_: object, handler: Old) {
    queueMicrotask(() => talk(handler))
    return true
  },
})

/** Speaks as the dispatchers of undici 8 do, and knows nothing else. */
const newDispatcher = (talk: (handler: New, controller: Controller) => void) => ({
  dispatch(_: object, handler: New) {
    let aborted = false
    const controller: Controller = {
      abort(reason) {
        if (aborted) return
        aborted = true
        handler.onResponseError(controller, reason)
      },
      get aborted() {
        return aborted
      },
    }
    queueMicrotask(() => talk(handler, controller))
    return true
  },
})

it('a dispatcher that speaks only the old handler interface, of undici 6, works', async () => {
  const raw = ['X-Request-Id', 'req_old', 'Set-Cookie', 'a=1', 'set-cookie', 'b=2'].map((part) =>
    Buffer.from(part),
  )
  const dispatcher = oldDispatcher((handler) => {
    handler.onConnect(() => {})
    handler.onHeaders(103, [], () => {}, 'Early Hints')
    handler.onHeaders(200, raw, () => {}, 'OK')
    for (const half of halves) handler.onData(half)
    handler.onComplete([])
  })

  const { data, response } = await through(dispatcher).sessions.retrieve('s').withResponse()

  expect(data).toEqual(aSession())
  expect(response.requestId).toBe('req_old')
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
})

/** Answers with these headers, as undici 6 hands them on. */
const headed = (raw: readonly unknown[], status = 200) =>
  oldDispatcher((handler) => {
    handler.onConnect(() => {})
    handler.onHeaders(status, raw as Buffer[], () => {}, '')
    for (const half of halves) handler.onData(half)
    handler.onComplete([])
  })

const bytes = (value: string) => Buffer.from(value, 'latin1')

it.each<[how: string, raw: unknown[]]>([
  ['bytes', [bytes('X-More'), bytes('é'), bytes('x-more'), bytes('b')]],
  ['text', ['X-More', 'é', 'x-more', 'b']],
  ['lists of bytes', [bytes('X-More'), [bytes('é'), bytes('b')]]],
  ['lists of text', ['X-More', ['é', 'b']]],
])('a dispatcher may hand on headers as %s', async (_, raw) => {
  const { response } = await through(headed(raw)).sessions.retrieve('s').withResponse()

  expect(response.headers.get('x-more')).toBe('é, b')
})

it.each<[what: string, values: string[], waits: number[]]>([
  ['once', ['2'], [2000]],
  ['with white space around it', [' 2\t'], [2000]],
  ['twice', ['2', '3'], [500]],
])('a Retry-After %s is taken as such over a dispatcher', async (_, values, expected) => {
  const raw = values.flatMap((value) => [bytes('retry-after'), bytes(value)])
  const { client, waits } = testClient({ fetch: undefined, dispatcher: headed(raw, 503), maxRetries: 1 })

  await expect(client.sessions.retrieve('s')).rejects.toMatchObject({ status: 503 })
  expect(waits).toEqual(expected)
})

it('interim headers are no answer, whatever follows them', async () => {
  const call = through(headed([bytes('x-request-id'), bytes('req_early')], 103)).sessions.retrieve('s')

  const error: unknown = await call.catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(ApiError)
  expect(error).not.toHaveProperty('requestId')
  expect([...(error as ApiError).headers]).toEqual([])
})

it('a dispatcher is given header names in lower case, as HTTP/2 wants them', async () => {
  const given: { headers: string[] }[] = []
  const inner = headed([])
  const dispatcher = {
    dispatch(options: { headers: string[] }, handler: Old) {
      given.push(options)
      return inner.dispatch(options, handler)
    },
  }
  const { client } = testClient({ fetch: undefined, dispatcher, headers: { 'X-Tenant': 'a' } })

  await client.sessions.create({}, { headers: { 'X-Trace': 'b' }, idempotencyKey: 'mine' })

  const names = given.flatMap(({ headers }) => headers.filter((_, i) => i % 2 === 0))
  expect(names).toEqual([
    'accept',
    'user-agent',
    'x-tenant',
    'x-trace',
    'x-api-key',
    'content-type',
    'idempotency-key',
  ])
})

it('a dispatcher that speaks only the new handler interface, of undici 8, works', async () => {
  const dispatcher = newDispatcher((handler, controller) => {
    handler.onRequestStart(controller, {})
    handler.onResponseStart(controller, 103, {})
    handler.onResponseStart(controller, 200, { 'x-request-id': 'req_new', 'set-cookie': ['a=1', 'b=2'] })
    for (const half of halves) handler.onResponseData(controller, half)
    handler.onResponseEnd(controller, {})
  })

  const { data, response } = await through(dispatcher).sessions.retrieve('s').withResponse()

  expect(data).toEqual(aSession())
  expect(response.requestId).toBe('req_new')
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
})

it('failures told in either interface are ConnectionErrors that know whether something was sent', async () => {
  const old = (sent: boolean) =>
    oldDispatcher((handler) => {
      if (sent) handler.onConnect(() => {})
      handler.onError(new Error('gone'))
    })
  const modern = (sent: boolean) =>
    newDispatcher((handler, controller) => {
      if (sent) handler.onRequestStart(controller, {})
      handler.onResponseError(controller, new Error('gone'))
    })

  for (const sent of [true, false]) {
    for (const dispatcher of [old(sent), modern(sent)]) {
      const error = { name: 'ConnectionError', mayHaveArrived: sent, attempts: sent ? 1 : 3 }
      await expect(through(dispatcher).sessions.create()).rejects.toMatchObject(error)
    }
  }
})

it('too large an answer ends the request in either interface', async () => {
  const aborts: unknown[] = []
  const big = Buffer.alloc(100)
  const old = oldDispatcher((handler) => {
    handler.onConnect((reason) => void aborts.push(reason))
    handler.onHeaders(200, [], () => {}, 'OK')
    handler.onData(big)
  })
  const modern = newDispatcher((handler, controller) => {
    const abort = vi.spyOn(controller, 'abort')
    handler.onRequestStart(controller, {})
    handler.onResponseStart(controller, 200, {})
    handler.onResponseData(controller, big)
    aborts.push(abort.mock.calls[0]?.[0])
  })

  for (const dispatcher of [old, modern]) {
    const { client } = testClient({ fetch: undefined, dispatcher, maxResponseBytes: 99 })
    await expect(client.sessions.retrieve('s')).rejects.toThrow('maxResponseBytes (99)')
  }
  expect(aborts).toMatchObject([{ status: 200 }, { status: 200 }])
})

it('a dispatcher that tells nothing of its end does not hold the call', async () => {
  const deaf = oldDispatcher((handler) => handler.onConnect(() => {}))
  const { client } = testClient({ fetch: undefined, dispatcher: deaf, timeoutMs: 5, maxRetries: 0 })

  await expect(client.sessions.retrieve('s')).rejects.toMatchObject({
    name: 'TimeoutError',
    mayHaveArrived: true,
  })
})

it('a dispatcher that throws is a failure before sending', async () => {
  const broken = {
    dispatch() {
      throw new Error('no such proxy')
    },
  }

  await expect(through(broken).sessions.create()).rejects.toMatchObject({
    name: 'ConnectionError',
    mayHaveArrived: false,
    attempts: 3,
  })
})

it('MSW answers a client that sends through fetch', async () => {
  const server = setupServer(
    http.get(`${baseUrl}/api/v2/session/:id`, () => HttpResponse.json(envelope)),
    http.post(`${baseUrl}/api/v2/session`, () => HttpResponse.error()),
  )
  server.listen({ onUnhandledRequest: 'error' })
  onTestFinished(() => server.close())
  const { client } = testClient()

  await expect(client.sessions.retrieve('sess_1')).resolves.toEqual(aSession())
  await expect(client.sessions.create()).rejects.toMatchObject({ name: 'ConnectionError' })
})

it('an own pool opens as many connections as it may', async () => {
  const server = await loopbackServer((response) => setTimeout(() => response.end(text), 10))
  const one = testClient({ baseUrl: server.url, fetch: undefined, connections: 1 }).client
  onTestFinished(() => one.close())

  await Promise.all([1, 2, 3].map(() => one.sessions.retrieve('s')))

  expect(server.connections).toBe(1)
})

it('connections are used again after an answer', async () => {
  const server = await loopbackServer()
  const { client } = testClient({ baseUrl: server.url, fetch: undefined })
  onTestFinished(() => client.close())

  for (let i = 0; i < 10; i++) await client.sessions.retrieve('s')

  // undici lets a connection rest for a moment, and takes another one meanwhile.
  expect(server.connections).toBeLessThanOrEqual(2)
})

it('a connection that breaks is not used again', async () => {
  const server = await loopbackServer(success(), reset, success())
  const { client } = testClient({ baseUrl: server.url, fetch: undefined })
  onTestFinished(() => client.close())

  await client.sessions.retrieve('s')

  await expect(client.sessions.retrieve('s')).resolves.toEqual(aSession())
  expect(server.requests).toHaveLength(3)
})
