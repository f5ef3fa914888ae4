import {
  Agent,
  type Dispatcher,
  getGlobalDispatcher,
  interceptors,
  MockAgent,
  Pool,
  RedirectHandler,
  setGlobalDispatcher,
} from 'undici'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ApiError, ConfigurationError, VerificationClient } from '../../../src/index.ts'
import { aSession } from '../../support/fixtures.ts'
import { loopbackServer, respondWith, success } from '../../support/loopback-server.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { baseUrl, testClient } from '../../support/verification-client.ts'

const envelope = { success: true, data: aSession() }
const text = JSON.stringify(envelope)

const through = (dispatcher: { dispatch: Dispatcher['dispatch'] | ((...call: never[]) => unknown) }, url = baseUrl) =>
  testClient({ baseUrl: url, fetch: undefined, dispatcher }).client

it('sends calls through a MockAgent', async () => {
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

it('reports an error of a MockAgent as a ConnectionError', async () => {
  const agent = new MockAgent()
  onTestFinished(() => agent.close())
  agent.get(baseUrl).intercept({ path: /.*/, method: 'POST' }).replyWithError(new Error('no route'))

  await expect(through(agent).sessions.create({}, { maxRetries: 0 })).rejects.toMatchObject({
    name: 'ConnectionError',
    cause: { message: 'no route' },
  })
})

it.each(['ECONNRESET', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT'])(
  'a billed call that a MockAgent ends with %s has an unknown outcome, as on an open connection',
  async (code) => {
    const agent = new MockAgent()
    onTestFinished(() => agent.close())
    const failure = Object.assign(new Error('broken'), { code })
    agent.get(baseUrl).intercept({ path: /.*/, method: 'POST' }).replyWithError(failure)

    const call = through(agent).checks.age({ dob: '1990-05-17', bands: [18] }, { maxRetries: 0 })

    await expect(call).rejects.toMatchObject({ name: 'OutcomeUnknownError' })
  },
)

it.each([
  ['an Agent', () => new Agent()],
  ['a composed Agent', () => new Agent().compose(interceptors.dns())],
  [
    'an Agent with an interceptor of the old kind',
    () => new Agent().compose((dispatch) => (options, handler) => dispatch({ ...options, reset: true }, handler)),
  ],
])('sends calls through %s', async (_, create) => {
  const server = await loopbackServer(respondWith(503), success())
  const dispatcher = create()
  onTestFinished(() => dispatcher.destroy())

  await expect(through(dispatcher, server.url).sessions.retrieve('s')).resolves.toEqual(aSession())
  expect(server.requests).toHaveLength(2)
})

it('does not close a dispatcher of the caller', async () => {
  const server = await loopbackServer()
  const dispatcher = new Pool(server.url)
  onTestFinished(() => dispatcher.destroy())
  const client = through(dispatcher, server.url)
  await client.sessions.retrieve('s')

  await client.close()

  expect(dispatcher.closed).toBe(false)
})

it('turns off headersTimeout and bodyTimeout of undici, because timeoutMs limits the attempt', async () => {
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

/** The handler interface of undici 6. */
interface LegacyHandler {
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

/** The handler interface of undici 8. */
interface ModernHandler {
  onRequestStart(controller: Controller, context: object): void
  onResponseStart(controller: Controller, status: number, headers: Record<string, string | string[]>): void
  onResponseData(controller: Controller, chunk: Buffer): void
  onResponseEnd(controller: Controller, trailers: object): void
  onResponseError(controller: Controller, error: Error): void
}

const halves = [Buffer.from(text.slice(0, 9)), Buffer.from(text.slice(9))]

/** A dispatcher that supports only the handler interface of undici 6. */
const legacyDispatcher = (exchange: (handler: LegacyHandler) => void) => ({
  dispatch(_: object, handler: LegacyHandler) {
    queueMicrotask(() => exchange(handler))
    return true
  },
})

/** A dispatcher that supports only the handler interface of undici 8. */
const modernDispatcher = (exchange: (handler: ModernHandler, controller: Controller) => void) => ({
  dispatch(_: object, handler: ModernHandler) {
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
    queueMicrotask(() => exchange(handler, controller))
    return true
  },
})

it('supports a dispatcher with only the handler interface of undici 6', async () => {
  const raw = ['X-Request-Id', 'req_old', 'Set-Cookie', 'a=1', 'set-cookie', 'b=2'].map((part) => Buffer.from(part))
  const dispatcher = legacyDispatcher((handler) => {
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

/** A dispatcher whose response has these headers, in the form of undici 6. */
const respondsWithHeaders = (raw: readonly unknown[], status = 200) =>
  legacyDispatcher((handler) => {
    handler.onConnect(() => {})
    handler.onHeaders(status, raw as Buffer[], () => {}, '')
    for (const half of halves) handler.onData(half)
    handler.onComplete([])
  })

const bytes = (value: string) => Buffer.from(value, 'latin1')

it.each<[form: string, raw: unknown[]]>([
  ['bytes', [bytes('X-More'), bytes('é'), bytes('x-more'), bytes('b')]],
  ['text', ['X-More', 'é', 'x-more', 'b']],
  ['lists of bytes', [bytes('X-More'), [bytes('é'), bytes('b')]]],
  ['lists of text', ['X-More', ['é', 'b']]],
])('reads headers that a dispatcher passes as %s', async (_, raw) => {
  const { response } = await through(respondsWithHeaders(raw)).sessions.retrieve('s').withResponse()

  expect(response.headers.get('x-more')).toBe('é, b')
})

it.each<[what: string, values: string[], waits: number[]]>([
  ['once', ['2'], [2000]],
  ['with white space around it', [' 2\t'], [2000]],
  ['twice, which makes it invalid', ['2', '3'], [500]],
])('reads a Retry-After that a dispatcher passes %s', async (_, values, expected) => {
  const raw = values.flatMap((value) => [bytes('retry-after'), bytes(value)])
  const { client, waits } = testClient({
    fetch: undefined,
    dispatcher: respondsWithHeaders(raw, 503),
    maxRetries: 1,
  })

  await expect(client.sessions.retrieve('s')).rejects.toMatchObject({ status: 503 })
  expect(waits).toEqual(expected)
})

it('never reads interim headers as those of the response', async () => {
  const call = through(respondsWithHeaders([bytes('x-request-id'), bytes('req_early')], 103)).sessions.retrieve('s')

  const error = await thrownBy(call)

  expect(error).toBeInstanceOf(ApiError)
  expect(error).not.toHaveProperty('requestId')
  expect([...(error as ApiError).headers]).toEqual([])
})

it('passes header names to a dispatcher in lower case, as HTTP/2 requires', async () => {
  const dispatched: { headers: string[] }[] = []
  const inner = respondsWithHeaders([])
  const dispatcher = {
    dispatch(options: { headers: string[] }, handler: LegacyHandler) {
      dispatched.push(options)
      return inner.dispatch(options, handler)
    },
  }
  const { client } = testClient({ fetch: undefined, dispatcher, headers: { 'X-Tenant': 'a' } })

  await client.sessions.create({}, { headers: { 'X-Trace': 'b' }, idempotencyKey: 'mine' })

  const names = dispatched.flatMap(({ headers }) => headers.filter((_, i) => i % 2 === 0))
  expect(names).toEqual(['accept', 'user-agent', 'x-tenant', 'x-trace', 'x-api-key', 'content-type', 'idempotency-key'])
})

it('supports a dispatcher with only the handler interface of undici 8', async () => {
  const dispatcher = modernDispatcher((handler, controller) => {
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

it('throws ConnectionError with mayHaveArrived for a failure of either handler interface', async () => {
  const legacy = (sent: boolean) =>
    legacyDispatcher((handler) => {
      if (sent) handler.onConnect(() => {})
      handler.onError(new Error('gone'))
    })
  const modern = (sent: boolean) =>
    modernDispatcher((handler, controller) => {
      if (sent) handler.onRequestStart(controller, {})
      handler.onResponseError(controller, new Error('gone'))
    })

  for (const sent of [true, false]) {
    for (const dispatcher of [legacy(sent), modern(sent)]) {
      const error = { name: 'ConnectionError', mayHaveArrived: sent, attempts: sent ? 1 : 3 }
      await expect(through(dispatcher).sessions.create()).rejects.toMatchObject(error)
    }
  }
})

it('aborts a request of either handler interface if its response is too large', async () => {
  const aborts: unknown[] = []
  const big = Buffer.alloc(100)
  const legacy = legacyDispatcher((handler) => {
    handler.onConnect((reason) => void aborts.push(reason))
    handler.onHeaders(200, [], () => {}, 'OK')
    handler.onData(big)
  })
  const modern = modernDispatcher((handler, controller) => {
    const abort = vi.spyOn(controller, 'abort')
    handler.onRequestStart(controller, {})
    handler.onResponseStart(controller, 200, {})
    handler.onResponseData(controller, big)
    aborts.push(abort.mock.calls[0]?.[0])
  })

  for (const dispatcher of [legacy, modern]) {
    const { client } = testClient({ fetch: undefined, dispatcher, maxResponseBytes: 99 })
    await expect(client.sessions.retrieve('s')).rejects.toThrow('maxResponseBytes (99)')
  }
  expect(aborts).toMatchObject([{ status: 200 }, { status: 200 }])
})

it('times out even if a dispatcher never reports the end of an aborted request', async () => {
  const dispatcher = legacyDispatcher((handler) => {
    handler.onConnect(() => {})
    void test.advance(5)
  })
  const test = testClient({ fetch: undefined, dispatcher, timeoutMs: 5, maxRetries: 0 })

  await expect(test.client.sessions.retrieve('s')).rejects.toMatchObject({
    name: 'TimeoutError',
    mayHaveArrived: true,
  })
})

it('reports a dispatcher that throws as a failure before sending', async () => {
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

/** Makes a mock the dispatcher of the process until the test ends. */
function mockOfProcess(status: number) {
  const before = getGlobalDispatcher()
  const agent = new MockAgent()
  agent.disableNetConnect()
  agent.get(baseUrl).intercept({ path: /.*/ }).reply(status, envelope).persist()
  setGlobalDispatcher(agent)
  onTestFinished(async () => {
    setGlobalDispatcher(before)
    await agent.close()
  })
}

const throughProcess = (url = baseUrl) =>
  testClient({ baseUrl: url, fetch: undefined, dispatcher: 'global', maxRetries: 0 }).client

it("with dispatcher 'global', each call uses the dispatcher that the process has then", async () => {
  const client = throughProcess()
  mockOfProcess(200)
  expect(await client.sessions.retrieve('sess_1')).toEqual(aSession())

  mockOfProcess(503)
  await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({ status: 503 })
})

it("with dispatcher 'global', closing the client does not close the dispatcher of the process", async () => {
  mockOfProcess(200)
  await throughProcess().close()
  expect(await throughProcess().sessions.retrieve('sess_1')).toEqual(aSession())
})

it("with dispatcher 'global', a call goes through what the fetch of Node uses", async () => {
  const server = await loopbackServer(success())
  await fetch(server.url).then((response) => response.text())
  expect(await throughProcess(server.url).sessions.retrieve('s')).toEqual(aSession())
})

const followsRedirects = () => new Agent().compose(interceptors.redirect({ maxRedirections: 5 }))

/** A client of each way to a dispatcher that follows redirects, and a server that redirects to another. */
async function redirected(status: number) {
  const target = await loopbackServer(success())
  const server = await loopbackServer(respondWith(status, '', { location: `${target.url}/elsewhere` }))
  const before = getGlobalDispatcher()
  const dispatcher = followsRedirects()
  setGlobalDispatcher(followsRedirects())
  onTestFinished(async () => {
    await getGlobalDispatcher().close()
    setGlobalDispatcher(before)
    await dispatcher.close()
  })
  return { target, clients: [through(dispatcher, server.url), throughProcess(server.url)] }
}

it.each([300, 301, 302, 303, 307, 308])(
  'a dispatcher with an interceptor that follows redirects does not follow a %i',
  async (status) => {
    const { target, clients } = await redirected(status)
    for (const { sessions } of clients)
      for (const call of [() => sessions.retrieve('s'), () => sessions.create()])
        await expect(call()).rejects.toMatchObject({ name: 'ApiError', status })
    expect(target.requests).toEqual([])
  },
)

it('the request for which undici follows a redirect by other means is not sent', async () => {
  const target = await loopbackServer(success())
  const server = await loopbackServer(respondWith(307, '', { location: `${target.url}/elsewhere` }))
  const dispatcher = new Agent().compose(
    (dispatch) => (options, handler) => dispatch(options, new RedirectHandler(dispatch, 5, options, handler)),
  )
  onTestFinished(() => dispatcher.destroy())

  await expect(through(dispatcher, server.url).sessions.create()).rejects.toMatchObject({
    name: 'ConnectionError',
    mayHaveArrived: true,
    message: expect.stringContaining('(ERR_REDIRECT_FOLLOWED)'),
  })
  expect(target.requests).toEqual([])
})

it('rejects a dispatcher where undici does not work', () => {
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
  const options = { baseUrl, apiKey: 'key_1' }

  expect(() => new VerificationClient({ ...options, dispatcher: new MockAgent() })).toThrow(
    new ConfigurationError({
      message: 'VerificationClient: dispatcher works only on Node, with the undici transport',
    }),
  )
  expect(() => new VerificationClient(options)).not.toThrow()
})
