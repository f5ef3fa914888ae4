import { expect, it } from 'vitest'
import { InvalidParamsError } from '../../../src/index.ts'
import { images, livenessCheck, standalone } from '../../support/fixtures.ts'
import { scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { testClient } from '../../support/verification-client.ts'

const cyclic: Record<string, unknown> = {}
cyclic.self = cyclic

const { client } = testClient({ fetch: () => expect.fail('something was sent') })
const license = { license_type: 'RN', license_state: 'CA', license_number: '1' }

it.each<[what: string, call: () => PromiseLike<unknown>]>([
  ['a cycle', () => client.sessions.create({ metadata: cyclic })],
  ['a BigInt', () => client.sessions.create({ metadata: { count: 1n } })],
  ['a BigInt in a billable call', () => client.checks.credential({ ...license, extra: 1n } as never)],
  ['a cycle in a form', () => client.checks.liveness({ image: images.png }, { extraParams: cyclic as never })],
])('rejects params with %s, which JSON cannot represent, with the reason as the cause', async (_, call) => {
  const error = await thrownBy(call())

  expect(error).toBeInstanceOf(InvalidParamsError)
  expect(error).toMatchObject({
    issues: [{ path: 'params', message: 'cannot be written as JSON' }],
    cause: expect.any(Error),
  })
})

it('sends the same bytes for the same params in any order and of any prototype', async () => {
  const { fetch, requests } = scriptedFetch(succeed(standalone(livenessCheck())))
  const sender = testClient({ fetch }).client
  const withoutPrototype = Object.assign(Object.create(null), { b: 1, a: [{ d: 1, c: 2 }] })
  const image = { base64: 'aGVsbG8=' }
  const variants = [
    { more: 1, extra: { a: [{ c: 2, d: 1 }], b: 1 } },
    { extra: { b: 1, a: [{ d: 1, c: 2 }] }, more: 1 },
    { more: 1, extra: withoutPrototype },
  ]

  for (const extraParams of variants) {
    await sender.checks.liveness({ image }, { encoding: 'json', idempotencyKey: 'order-42', extraParams })
  }

  const sent = requests.map(({ body }) => Buffer.from(body).toString())
  expect(sent).toEqual(Array(3).fill('{"extra":{"a":[{"c":2,"d":1}],"b":1},"image":"aGVsbG8=","more":1}'))
})
