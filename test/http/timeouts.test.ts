import { getEventListeners } from 'node:events'
import { createServer } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { expect, it, onTestFinished, vi } from 'vitest'
import { AbortedError, TimeoutError } from '../../src/errors.ts'
import { VerificationClient } from '../../src/verification.ts'
import { images } from '../support/fixtures.ts'
import { respondWith, loopbackServer, type Responder, silence, trickle } from '../support/loopback-server.ts'
import { fail, hang, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { clientOver, forEachTransport } from '../support/transports.ts'
import { apiKey, baseUrl, testClient } from '../support/verification-client.ts'

const thrownBy = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  )

const hanging = scriptedFetch(hang).fetch

/** Tells how many timers of a duration were set, and how many of them are still running. */
function watchTimers(ms: number) {
  const set = vi.spyOn(globalThis, 'setTimeout')
  const cleared = vi.spyOn(globalThis, 'clearTimeout')
  return () => {
    const handles = set.mock.results.filter((_, i) => set.mock.calls[i]?.[1] === ms).map(({ value }) => value)
    const left = handles.filter((handle) => !cleared.mock.calls.some(([other]) => other === handle))
    return { set: handles.length, left: left.length }
  }
}

forEachTransport('$name: headers that do not come end the attempt after timeoutMs', async (transport) => {
  const server = await loopbackServer(silence)
  const { client } = clientOver(transport, server.url, { maxRetries: 0, timeoutMs: 150 })

  const error = await thrownBy(client.sessions.create())

  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toMatchObject({ limit: 'timeoutMs', limitMs: 150, mayHaveArrived: true, attempts: 1 })
})

forEachTransport('$name: a trickling body cannot outlast timeoutMs', async (transport) => {
  const server = await loopbackServer(trickle)
  const { client } = clientOver(transport, server.url, { maxRetries: 0, timeoutMs: 100 })
  const startedAt = performance.now()

  const error = await thrownBy(client.sessions.retrieve('s'))

  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'timeoutMs' })
  expect(performance.now() - startedAt).toBeLessThan(1000)
})

forEachTransport('$name: a trickling body cannot outlast deadlineMs', async (transport) => {
  const server = await loopbackServer(trickle)
  const { client } = clientOver(transport, server.url, { random: () => 0 })

  const error = await thrownBy(client.sessions.retrieve('s', { deadlineMs: 40 }))

  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'deadlineMs', limitMs: 40, attempts: 1 })
})

forEachTransport('$name: a retry has a new allowance of timeoutMs', async (transport) => {
  const late: Responder = (response, request) =>
    setTimeout(() => respondWith(200, { data: {} })(response, request), 100)
  const server = await loopbackServer(silence, late)
  const { client } = clientOver(transport, server.url, { timeoutMs: 180 })

  await expect(client.sessions.retrieve('s')).resolves.toEqual({})
})

forEachTransport('$name: an ended attempt lets go of its socket', async (transport) => {
  const closed = vi.fn()
  const server = await loopbackServer((response) => response.once('close', closed))
  const { client } = clientOver(transport, server.url, { maxRetries: 0, timeoutMs: 150 })

  await thrownBy(client.sessions.retrieve('s'))

  await expect.poll(() => closed, { interval: 2 }).toHaveBeenCalledOnce()
})

it('a connection that does not come about ends the attempt, and nothing was sent', async () => {
  const stuck = createServer(() => {})
  await new Promise<void>((resolve) => stuck.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void stuck.close())
  const address = stuck.address() as { port: number }
  const { client } = testClient({
    baseUrl: `https://127.0.0.1:${address.port}`,
    fetch: undefined,
    timeoutMs: 30,
    maxRetries: 1,
  })

  const error = await thrownBy(client.sessions.create())

  expect(error).toMatchObject({ name: 'TimeoutError', mayHaveArrived: false, attempts: 2 })
})

it('a request whose time ran out before it was connected is never sent', async () => {
  const server = await loopbackServer()
  const connect = buildConnector({})
  let connected = 0
  const dispatcher = new Agent({
    connect: (options, done) => {
      setTimeout(() => {
        connected++
        connect(options, done)
      }, 30)
    },
  })
  onTestFinished(() => dispatcher.destroy())
  const { client } = testClient({
    baseUrl: server.url,
    fetch: undefined,
    dispatcher,
    timeoutMs: 10,
    maxRetries: 0,
  })

  await thrownBy(client.sessions.create())

  await expect.poll(() => connected, { interval: 2 }).toBe(1)
  await expect.poll(() => server.connections, { interval: 2 }).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(server.requests).toEqual([])
})

it('an apiKey function that never answers ends with the attempt, and nothing was sent', async () => {
  const { client } = testClient({
    fetch: () => expect.fail('something was sent'),
    apiKey: () => new Promise<string>(() => {}),
    timeoutMs: 10,
  })

  const error = await thrownBy(client.sessions.create())

  expect(error).toMatchObject({ name: 'TimeoutError', mayHaveArrived: false, attempts: 3 })
})

it('an apiKey function that answers after its attempt has ended disturbs nobody', async () => {
  let answerLate = (_: string) => {}
  const key = new Promise<string>((resolve) => {
    answerLate = resolve
  })
  const { client } = testClient({
    fetch: () => expect.fail('something was sent'),
    apiKey: () => key,
    timeoutMs: 5,
    maxRetries: 0,
  })

  const error = await thrownBy(client.sessions.retrieve('s'))
  answerLate(apiKey)
  await new Promise((resolve) => setImmediate(resolve))

  expect(error).toBeInstanceOf(TimeoutError)
})

it('an attempt that has as long as the whole call is ended by timeoutMs', async () => {
  const { client } = testClient({ fetch: hanging, timeoutMs: 10, deadlineMs: 10, maxRetries: 0 })

  const error = await thrownBy(client.sessions.create())

  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'timeoutMs', limitMs: 10 })
})

it('an image that never comes ends with the attempt', async () => {
  const { client } = testClient({
    fetch: () => expect.fail('something was sent'),
    timeoutMs: 10,
    maxRetries: 0,
  })

  const error = await thrownBy(client.checks.liveness({ image: () => new Promise<Uint8Array>(() => {}) }))

  expect(error).toMatchObject({ name: 'TimeoutError', mayHaveArrived: false })
})

it('a fetch that takes no notice of its signal ends all the same', async () => {
  const { client } = testClient({ fetch: () => new Promise(() => {}), timeoutMs: 10, maxRetries: 0 })

  expect(await thrownBy(client.sessions.retrieve('s'))).toBeInstanceOf(TimeoutError)
})

it('a fetch that fails after its time is up disturbs nobody', async () => {
  const late = () => new Promise<Response>((_, reject) => setTimeout(() => reject(new Error('late')), 20))
  const { client } = testClient({ fetch: late, timeoutMs: 5, maxRetries: 0 })

  expect(await thrownBy(client.sessions.retrieve('s'))).toBeInstanceOf(TimeoutError)
  await new Promise((resolve) => setTimeout(resolve, 30))
})

it('lookups of licences have 90 seconds by default, and other calls 30', async () => {
  const { fetch } = scriptedFetch(fail(409, 'idempotency_in_progress', { 'retry-after': '10' }))
  const { client, waits } = testClient({ fetch })
  const born = { dob: '2001-05-17', bands: [18] }
  const licence = { license_state: 'CA', license_type: 'RN', license_number: '1' }

  await thrownBy(client.checks.age(born))
  const forAge = waits.splice(0).length
  await thrownBy(client.checks.credential(licence))

  expect([forAge, waits.length]).toEqual([3, 9])
})

forEachTransport('$name: a signal that was aborted before the call sends nothing', async (transport) => {
  const server = await loopbackServer()
  const { client } = clientOver(transport, server.url)
  const reason = new Error('enough')

  const error = await thrownBy(client.sessions.create({}, { signal: AbortSignal.abort(reason) }))

  expect(error).toBeInstanceOf(AbortedError)
  expect(error).toMatchObject({ mayHaveArrived: false, attempts: 0 })
  expect((error as Error).cause).toBe(reason)
  expect(server.requests).toEqual([])
})

forEachTransport(
  '$name: an abort ends an attempt at once, and no listener, timer or socket is left',
  async (transport) => {
    const closed = vi.fn()
    const server = await loopbackServer((response) => response.once('close', closed))
    const { client } = clientOver(transport, server.url, { timeoutMs: 12_345 })
    const controller = new AbortController()
    const timers = watchTimers(12_345)
    const call = client.sessions.create({}, { signal: controller.signal })
    await expect.poll(() => server.requests.length, { interval: 2 }).toBe(1)

    controller.abort(new Error('enough'))
    const error = await thrownBy(call)

    expect(error).toMatchObject({
      name: 'AbortedError',
      mayHaveArrived: true,
      attempts: 1,
      cause: { message: 'enough' },
    })
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    await expect.poll(() => closed, { interval: 2 }).toHaveBeenCalledOnce()
    expect(timers()).toEqual({ set: 1, left: 0 })
  },
)

forEachTransport('$name: an abort while the body comes ends the call', async (transport) => {
  const server = await loopbackServer(trickle)
  const { client } = clientOver(transport, server.url)
  const controller = new AbortController()
  const call = client.sessions.retrieve('s', { signal: controller.signal })
  await expect.poll(() => server.requests.length, { interval: 2 }).toBe(1)
  setTimeout(() => controller.abort(), 15)

  expect(await thrownBy(call)).toBeInstanceOf(AbortedError)
})

it('an abort ends a wait at once, and no listener or timer is left', async () => {
  const { fetch, requests: given } = scriptedFetch(fail(503, 'x', { 'retry-after': '50' }))
  const client = new VerificationClient({ baseUrl, apiKey, fetch })
  const controller = new AbortController()
  const timers = watchTimers(50_000)
  const call = client.sessions.retrieve('s', { signal: controller.signal })
  await expect.poll(timers, { interval: 2 }).toEqual({ set: 1, left: 1 })

  controller.abort()
  const error = await thrownBy(call)

  expect(error).toMatchObject({ name: 'AbortedError', attempts: 1, mayHaveArrived: true })
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  expect(timers()).toEqual({ set: 1, left: 0 })
  expect(given).toHaveLength(1)
})

forEachTransport('$name: a success leaves no listener and no timer', async (transport) => {
  const server = await loopbackServer()
  const { client } = clientOver(transport, server.url, { timeoutMs: 12_345 })
  const { signal } = new AbortController()
  const timers = watchTimers(12_345)

  await client.sessions.retrieve('s', { signal })

  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(timers()).toEqual({ set: 1, left: 0 })
})

it('one signal serves many calls at once', async () => {
  const warnings: Error[] = []
  const warn = (warning: Error) => void warnings.push(warning)
  process.on('warning', warn)
  onTestFinished(() => void process.off('warning', warn))
  const { fetch } = scriptedFetch(succeed())
  const { client } = testClient({ fetch })
  const { signal } = new AbortController()

  await Promise.all(Array.from({ length: 40 }, () => client.sessions.retrieve('s', { signal })))
  await new Promise((resolve) => setImmediate(resolve))

  expect(warnings).toEqual([])
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('an abort ends the calls under way, whichever of the same signal have ended before', async () => {
  const quick = scriptedFetch(succeed()).fetch
  const { client } = testClient({
    fetch: (url, init) => (String(url).endsWith('/quick') ? quick(url, init) : hanging(url, init)),
    timeoutMs: 1000,
    maxRetries: 0,
  })
  const controller = new AbortController()
  const { signal } = controller
  const first = thrownBy(client.sessions.retrieve('s', { signal }))
  await client.sessions.retrieve('quick', { signal })
  const last = thrownBy(client.sessions.retrieve('s', { signal }))

  controller.abort()

  expect([await first, await last]).toMatchObject([{ name: 'AbortedError' }, { name: 'AbortedError' }])
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('an abort by a hook that hears of a retry ends the wait before it begins', async () => {
  const controller = new AbortController()
  const { fetch, requests: given } = scriptedFetch(fail(503, 'x', { 'retry-after': '50' }))
  const client = new VerificationClient({
    baseUrl,
    apiKey,
    fetch,
    onEvent: ({ type }) => type === 'retry' && controller.abort(),
  })
  const timers = watchTimers(50_000)

  const error = await thrownBy(client.sessions.retrieve('s', { signal: controller.signal }))

  expect(error).toMatchObject({ name: 'AbortedError', attempts: 1 })
  expect(timers()).toEqual({ set: 0, left: 0 })
  expect(given).toHaveLength(1)
})

it('a client waits without a signal as well', async () => {
  const { fetch, requests: given } = scriptedFetch(fail(503, 'x', { 'retry-after': '0' }), succeed())
  const client = new VerificationClient({ baseUrl, apiKey, fetch })

  await client.sessions.retrieve('s')

  expect(given).toHaveLength(2)
})

it('an abort while the apiKey function is asked ends the call, and nothing was sent', async () => {
  const controller = new AbortController()
  const { client } = testClient({
    fetch: () => expect.fail('something was sent'),
    apiKey: () => {
      queueMicrotask(() => controller.abort())
      return new Promise<string>(() => {})
    },
  })

  const error = await thrownBy(client.sessions.retrieve('s', { signal: controller.signal }))

  expect(error).toMatchObject({ name: 'AbortedError', mayHaveArrived: false })
})

it('an abort while an image is opened lets go of it once it is open', async () => {
  const controller = new AbortController()
  let open: (image: Uint8Array) => void = () => {}
  const opening = new Promise<Uint8Array>((resolve) => {
    open = resolve
  })
  const { client } = testClient({ fetch: () => expect.fail('something was sent') })
  const call = client.checks.liveness({ image: () => opening }, { signal: controller.signal })

  controller.abort()

  expect(await thrownBy(call)).toBeInstanceOf(AbortedError)
  open(images.png)
  await new Promise((resolve) => setTimeout(resolve, 10))
})

it('an AbortSignal.timeout is an abort, with its reason as the cause', async () => {
  const { fetch } = scriptedFetch(hang)
  const { client } = testClient({ fetch })

  const error = await thrownBy(client.sessions.retrieve('s', { signal: AbortSignal.timeout(10) }))

  expect(error).toMatchObject({ name: 'AbortedError', cause: { name: 'TimeoutError' } })
})
