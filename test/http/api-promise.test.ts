import { tracingChannel } from 'node:diagnostics_channel'
import { setImmediate } from 'node:timers/promises'
import { expect, expectTypeOf, it, onTestFinished } from 'vitest'
import type { ApiError, ApiPromise, ApiResponse, Session } from '../../src/index.ts'
import { aSession } from '../support/fixtures.ts'
import { fail, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { testClient } from '../support/verification-client.ts'

const session = (): ApiPromise<Session> =>
  testClient({ fetch: scriptedFetch(succeed()).fetch }).client.sessions.retrieve('s')
const rejection = (): ApiPromise<Session> =>
  testClient({ fetch: scriptedFetch(fail(404, 'not_found')).fetch }).client.sessions.retrieve('s')

/** Collects the unhandled rejections of a test. */
function unhandledRejections(): unknown[] {
  const reasons: unknown[] = []
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', (reason) => void reasons.push(reason))
  onTestFinished(() => {
    process.removeAllListeners('unhandledRejection')
    for (const other of others) process.on('unhandledRejection', other)
  })
  return reasons
}

it('resolves to the data', async () => {
  const data = await session()

  expect(data).toEqual(aSession())
  expectTypeOf(data).toEqualTypeOf<Session>()
})

it('withResponse resolves to the data and the response', async () => {
  const { data, response } = await session().withResponse()

  expect(data).toEqual(aSession())
  expect(response).toMatchObject({ status: 200, requestId: 'req_1', attempts: 1 })
  expectTypeOf(response).toEqualTypeOf<ApiResponse>()
})

it('sends one request if a call is awaited and withResponse is called', async () => {
  const { fetch, requests } = scriptedFetch(succeed())
  const call = testClient({ fetch }).client.sessions.retrieve('s')

  const [data, again, { data: third }] = await Promise.all([call, call, call.withResponse()])

  expect(again).toBe(data)
  expect(third).toBe(data)
  expect(requests).toHaveLength(1)
})

it('supports then, catch and finally', async () => {
  const order: string[] = []

  const id = await session()
    .finally(() => void order.push('finally'))
    .then(({ session_id }) => session_id)
  const code = await rejection().catch((error) => (error as ApiError).code)
  const fallback = await rejection().then(
    () => 'data',
    () => 'fallback',
  )

  expect([id, code, fallback, ...order]).toEqual(['sess_1', 'not_found', 'fallback', 'finally'])
  await expect(rejection().finally(() => {})).rejects.toMatchObject({ code: 'not_found' })
})

it('is an instance of Promise', async () => {
  const call = session()

  expect(call).toBeInstanceOf(Promise)
  expect(call.then()).toBeInstanceOf(Promise)
  expect(Object.prototype.toString.call(call)).toBe('[object Promise]')
  await expect(Promise.resolve(call)).resolves.toEqual(aSession())
})

it('is settled for code that reads a promise without its then, as runtimes and test runners do', async () => {
  const intrinsic = Promise.prototype.then

  expect(await intrinsic.call(session(), (data) => data)).toEqual(aSession())
  expect(await intrinsic.call(rejection(), undefined, ({ code }) => code)).toBe('not_found')
})

it('can be traced by a channel of diagnostics', async () => {
  const channel = tracingChannel('test of calls')
  const subscribers = { start() {}, end() {}, asyncStart() {}, asyncEnd() {}, error() {} }
  channel.subscribe(subscribers)
  onTestFinished(() => void channel.unsubscribe(subscribers))

  expect(await channel.tracePromise(session, {})).toEqual(aSession())
})

it('works with Promise.all, allSettled, race and any', async () => {
  const [first, [settled], raced, any] = await Promise.all([
    Promise.all([session(), 1]),
    Promise.allSettled([rejection()]),
    Promise.race([session()]),
    Promise.any([rejection(), session()]),
  ])

  expect(first).toEqual([aSession(), 1])
  expect(settled).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } })
  expect(raced).toEqual(aSession())
  expect(any).toEqual(aSession())
})

it.each<[how: string, handle: (call: ApiPromise<Session>) => Promise<unknown>]>([
  ['await', async (call) => await call],
  ['withResponse', (call) => call.withResponse()],
  ['then', (call) => call.then(() => {})],
  ['finally', (call) => call.finally(() => {})],
  ['Promise.all', (call) => Promise.all([call])],
])('causes no unhandled rejection if its failure is handled by %s alone', async (_, handle) => {
  const reasons = unhandledRejections()

  await expect(handle(rejection())).rejects.toMatchObject({ code: 'not_found' })

  await setImmediate()
  expect(reasons).toEqual([])
})

it('causes one unhandled rejection if its failure is not handled', async () => {
  const reasons = unhandledRejections()

  rejection()

  await expect.poll(() => reasons.length, { interval: 2 }).toBe(1)
  expect(reasons).toMatchObject([{ code: 'not_found' }])
})

it('causes one unhandled rejection if the failure of withResponse is not handled', async () => {
  const reasons = unhandledRejections()

  void rejection().withResponse()
  await setImmediate()
  await setImmediate()

  expect(reasons).toHaveLength(1)
})

it('rejects for invalid params instead of throwing', async () => {
  const { client } = testClient()
  let call: Promise<unknown> | undefined

  expect(() => {
    call = client.sessions.retrieve('')
  }).not.toThrow()
  await expect(call).rejects.toMatchObject({ name: 'InvalidParamsError' })
})

it('sends the request without being awaited', async () => {
  const { fetch, requests } = scriptedFetch(succeed())

  const call = testClient({ fetch }).client.sessions.retrieve('s')

  await expect.poll(() => requests.length, { interval: 2 }).toBe(1)
  await call
})
