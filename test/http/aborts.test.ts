import { getEventListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { AbortedError, type RequestEvent, VerificationClient } from '../../src/index.ts'
import { images } from '../support/fixtures.ts'
import { loopbackServer, trickleWith } from '../support/loopback-server.ts'
import { fail, hang, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { clientOver, forEachTransport } from '../support/transports.ts'
import { apiKey, baseUrl, testClient } from '../support/verification-client.ts'

const noFetch = () => expect.fail('something was sent')
const hanging = scriptedFetch(hang).fetch

/** Counts the real timers of one duration: those that were set, and those that are still running. */
function watchTimers(ms: number) {
  const set = vi.spyOn(globalThis, 'setTimeout')
  const cleared = vi.spyOn(globalThis, 'clearTimeout')
  return () => {
    const handles = set.mock.results.filter((_, i) => set.mock.calls[i]?.[1] === ms).map(({ value }) => value)
    const left = handles.filter((handle) => !cleared.mock.calls.some(([other]) => other === handle))
    return { set: handles.length, left: left.length }
  }
}

forEachTransport('$name: sends nothing if the signal is already aborted', async (transport) => {
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
  '$name: ends an attempt at once when the signal aborts, and leaves no listener, timer or socket',
  async (transport) => {
    const controller = new AbortController()
    let onClose = () => {}
    const closed = new Promise<void>((resolve) => {
      onClose = resolve
    })
    const server = await loopbackServer((response) => {
      response.once('close', onClose)
      controller.abort(new Error('enough'))
    })
    const { client, timers, pending } = clientOver(transport, server.url, { timeoutMs: 12_345 })

    const error = await thrownBy(client.sessions.create({}, { signal: controller.signal }))

    expect(error).toMatchObject({
      name: 'AbortedError',
      mayHaveArrived: true,
      attempts: 1,
      cause: { message: 'enough' },
    })
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    expect(timers).toEqual([12_345])
    expect(pending()).toBe(0)
    await closed
  },
)

forEachTransport('$name: ends a call when the signal aborts while the body arrives', async (transport) => {
  const controller = new AbortController()
  let bytes = 0
  const server = await loopbackServer(trickleWith(() => ++bytes === 3 && controller.abort()))
  const { client } = clientOver(transport, server.url)

  const error = await thrownBy(client.sessions.retrieve('s', { signal: controller.signal }))

  expect(error).toBeInstanceOf(AbortedError)
})

it('ends a wait at once when the signal aborts, and leaves no listener and no timer', async () => {
  const { fetch, requests } = scriptedFetch(fail(503, 'x', { 'retry-after': '50' }))
  const controller = new AbortController()
  const timers = watchTimers(50_000)
  let duringTheWait: unknown
  const onEvent = async ({ type }: RequestEvent) => {
    if (type !== 'retry') return
    await setImmediate()
    duringTheWait = timers()
    controller.abort()
  }
  const client = new VerificationClient({ baseUrl, apiKey, fetch, onEvent })

  const error = await thrownBy(client.sessions.retrieve('s', { signal: controller.signal }))

  expect(error).toMatchObject({ name: 'AbortedError', attempts: 1, mayHaveArrived: true })
  expect(duringTheWait).toEqual({ set: 1, left: 1 })
  expect(timers()).toEqual({ set: 1, left: 0 })
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  expect(requests).toHaveLength(1)
})

it('starts no wait if the onEvent hook aborts the call at the retry', async () => {
  const controller = new AbortController()
  const { fetch, requests } = scriptedFetch(fail(503, 'x', { 'retry-after': '50' }))
  const onEvent = ({ type }: RequestEvent) => type === 'retry' && controller.abort()
  const client = new VerificationClient({ baseUrl, apiKey, fetch, onEvent })
  const timers = watchTimers(50_000)

  const error = await thrownBy(client.sessions.retrieve('s', { signal: controller.signal }))

  expect(error).toMatchObject({ name: 'AbortedError', attempts: 1 })
  expect(timers()).toEqual({ set: 0, left: 0 })
  expect(requests).toHaveLength(1)
})

it('waits between attempts of a call without a signal', async () => {
  const { fetch, requests } = scriptedFetch(fail(503, 'x', { 'retry-after': '0' }), succeed())
  const client = new VerificationClient({ baseUrl, apiKey, fetch })

  await client.sessions.retrieve('s')

  expect(requests).toHaveLength(2)
})

forEachTransport('$name: leaves no listener and no timer after a success', async (transport) => {
  const server = await loopbackServer()
  const { client, timers, pending } = clientOver(transport, server.url, { timeoutMs: 12_345 })
  const { signal } = new AbortController()

  await client.sessions.retrieve('s', { signal })

  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(timers).toEqual([12_345])
  expect(pending()).toBe(0)
})

it('leaves no timer of the runtime after a success', async () => {
  const timers = watchTimers(12_345)
  const { fetch } = scriptedFetch(succeed())
  const client = new VerificationClient({ baseUrl, apiKey, fetch, timeoutMs: 12_345 })

  await client.sessions.retrieve('s')

  expect(timers()).toEqual({ set: 1, left: 0 })
})

it('accepts one signal for many calls at once, without a warning of a leak', async () => {
  const warnings: Error[] = []
  const warn = (warning: Error) => void warnings.push(warning)
  process.on('warning', warn)
  onTestFinished(() => void process.off('warning', warn))
  const { fetch } = scriptedFetch(succeed())
  const { client } = testClient({ fetch })
  const { signal } = new AbortController()

  await Promise.all(Array.from({ length: 40 }, () => client.sessions.retrieve('s', { signal })))
  await setImmediate()

  expect(warnings).toEqual([])
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('aborts every running call of a signal, even if another call of the signal has ended', async () => {
  const quick = scriptedFetch(succeed()).fetch
  const { client } = testClient({
    fetch: (url, init) => (String(url).endsWith('/quick') ? quick(url, init) : hanging(url, init)),
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

it('ends a call when the signal aborts while the apiKey function is pending', async () => {
  const controller = new AbortController()
  const { client } = testClient({
    fetch: noFetch,
    apiKey: () => {
      queueMicrotask(() => controller.abort())
      return new Promise<string>(() => {})
    },
  })

  const error = await thrownBy(client.sessions.retrieve('s', { signal: controller.signal }))

  expect(error).toMatchObject({ name: 'AbortedError', mayHaveArrived: false })
})

it('ends a call when the signal aborts while an image is pending, and ignores the image', async () => {
  const controller = new AbortController()
  let open: (image: Uint8Array) => void = () => {}
  const opening = new Promise<Uint8Array>((resolve) => {
    open = resolve
  })
  const { client } = testClient({ fetch: noFetch })
  const call = client.checks.liveness({ image: () => opening }, { signal: controller.signal })

  controller.abort()

  expect(await thrownBy(call)).toBeInstanceOf(AbortedError)
  open(images.png)
  await setImmediate()
})

it('reports the end of an AbortSignal.timeout as an AbortedError with its reason as the cause', async () => {
  const { client } = testClient({ fetch: hanging })

  const error = await thrownBy(client.sessions.retrieve('s', { signal: AbortSignal.timeout(10) }))

  expect(error).toMatchObject({ name: 'AbortedError', cause: { name: 'TimeoutError' } })
})
