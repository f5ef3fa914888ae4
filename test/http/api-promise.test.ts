import { setTimeout as wait } from 'node:timers/promises'
import { expect, expectTypeOf, it, onTestFinished } from 'vitest'
import type { ApiError } from '../../src/errors.ts'
import type { ApiPromise, ApiResponse, Session } from '../../src/verification.ts'
import { aSession } from '../support/fixtures.ts'
import { fail, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { testClient } from '../support/verification-client.ts'

const session = (): ApiPromise<Session> => testClient(scriptedFetch(succeed())).client.sessions.retrieve('s')
const refusal = (): ApiPromise<Session> =>
  testClient(scriptedFetch(fail(404, 'not_found'))).client.sessions.retrieve('s')

/** Rejections that nobody handles while the test runs. */
function unhandled(): unknown[] {
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

it('awaited, is the data', async () => {
  const data = await session()

  expect(data).toEqual(aSession())
  expectTypeOf(data).toEqualTypeOf<Session>()
})

it('withResponse gives the data and the answer that it came in', async () => {
  const { data, response } = await session().withResponse()

  expect(data).toEqual(aSession())
  expect(response).toMatchObject({ status: 200, requestId: 'req_1', attempts: 1 })
  expectTypeOf(response).toEqualTypeOf<ApiResponse>()
})

it('both ways may be taken at once, and send one request', async () => {
  const { fetch, requests: given } = scriptedFetch(succeed())
  const call = testClient({ fetch }).client.sessions.retrieve('s')

  const [data, again, { data: third }] = await Promise.all([call, call, call.withResponse()])

  expect(again).toBe(data)
  expect(third).toBe(data)
  expect(given).toHaveLength(1)
})

it('then, catch and finally work as those of any promise', async () => {
  const order: string[] = []

  const id = await session()
    .finally(() => void order.push('finally'))
    .then(({ session_id }) => session_id)
  const code = await refusal().catch((error) => (error as ApiError).code)
  const fallback = await refusal().then(
    () => 'data',
    () => 'fallback',
  )

  expect([id, code, fallback, ...order]).toEqual(['sess_1', 'not_found', 'fallback', 'finally'])
  await expect(refusal().finally(() => {})).rejects.toMatchObject({ code: 'not_found' })
})

it('is a promise', async () => {
  const call = session()

  expect(call).toBeInstanceOf(Promise)
  expect(call.then()).toBeInstanceOf(Promise)
  expect(Object.prototype.toString.call(call)).toBe('[object Promise]')
  await expect(Promise.resolve(call)).resolves.toEqual(aSession())
})

it('goes with all, allSettled, race and any', async () => {
  const [first, [settled], raced, any] = await Promise.all([
    Promise.all([session(), 1]),
    Promise.allSettled([refusal()]),
    Promise.race([session()]),
    Promise.any([refusal(), session()]),
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
])('a failure that is handled by %s alone is handled', async (_, handle) => {
  const reasons = unhandled()

  await expect(handle(refusal())).rejects.toMatchObject({ code: 'not_found' })

  await wait(5)
  expect(reasons).toEqual([])
})

it('a failure that nobody handles is told to the process once', async () => {
  const reasons = unhandled()

  refusal()

  await wait(5)
  expect(reasons).toMatchObject([{ code: 'not_found' }])
})

it('bad params reject, and do not throw', async () => {
  const { client } = testClient()
  let call: Promise<unknown> | undefined

  expect(() => {
    call = client.sessions.retrieve('')
  }).not.toThrow()
  await expect(call).rejects.toMatchObject({ name: 'InvalidParamsError' })
})

it('begins at once, without being awaited', async () => {
  const { fetch, requests: given } = scriptedFetch(succeed())

  const call = testClient({ fetch }).client.sessions.retrieve('s')
  await wait(5)

  expect(given).toHaveLength(1)
  await call
})
