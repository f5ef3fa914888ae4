import { beforeEach, expect, it, vi } from 'vitest'
import { createWebhookHandler, isSdkError, memoryStore, type WebhookEvent } from '../../src/index.ts'
import { claimsOf, headerOf, issuer, signed, startMs } from '../oidc/issuer.ts'
import { aSession } from '../support/fixtures.ts'
import { jsonEntries } from '../support/json-entries.ts'
import { testClient } from '../support/verification-client.ts'
import { anEvent, clockAt, secret, signedAt, signedBytes } from '../support/webhook.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: startMs, toFake: ['Date', 'performance'] })
  return () => vi.useRealTimers()
})

/** More levels than functions that call themselves can follow, and fewer characters than a token may have. */
const levels = 20_000
const plain: readonly (readonly [what: string, json: string])[] = [
  ['lists', `${'['.repeat(levels)}${']'.repeat(levels)}`],
  ['objects', `${'{"":'.repeat(8_000)}1${'}'.repeat(8_000)}`],
]
const nested: typeof plain = [
  ...plain,
  ['lists that are not closed', '['.repeat(levels)],
  // To leave out a name, each value is visited, so such a text may be nested too deeply to be parsed.
  ['objects, with a name that is left out', `${'{"":'.repeat(8_000)}{"__proto__":1}${'}'.repeat(8_000)}`],
]

const cases = jsonEntries.flatMap((entry) => nested.map(([what, json]) => ({ ...entry, what, json })))

it.each(cases)('$name with thousands of nested $what is accepted, or rejected with a typed error', async (of) => {
  const json = Buffer.from(of.json)
  for (const call of [of.whole(json), of.member(json)]) {
    const error: unknown = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error === undefined || isSdkError(error), String(error)).toBe(true)
  }
})

const withMember = (object: object, json: string) => `${JSON.stringify(object).slice(0, -1)},"later":${json}}`

it.each(plain)('an access token with thousands of nested %s is accepted, also from the cache', async (_, json) => {
  const token = signed(headerOf(), withMember(claimsOf(), json))
  const oidc = issuer().client()

  for (const kind of ['verified', 'cached'])
    await expect(oidc.validateAccessToken(token), kind).resolves.toMatchObject({ sub: 'user_1' })
})

it.each(plain)('a handler runs the callback of an event with thousands of nested %s', async (_, json) => {
  const handled: string[] = []
  const on = { 'verification.approved': ({ event_id }: WebhookEvent) => void handled.push(event_id) }
  const handler = createWebhookHandler({ secret, now: clockAt(signedAt), store: memoryStore(), on })

  const { status } = await handler.handle(await signedBytes(withMember(anEvent(), json), 'evt_1'))

  expect({ status, handled }).toEqual({ status: 200, handled: ['evt_1'] })
})

it.each(plain)('a response with thousands of nested %s is returned', async (_, json) => {
  const body = `{"success":true,"error":null,"data":${withMember(aSession(), json)}}`
  const { client } = testClient({ fetch: async () => new Response(body), responseValidation: 'strict' })

  await expect(client.sessions.retrieve('sess_1')).resolves.toMatchObject(aSession())
})

/** Each takes about a hundred bytes of memory. A token is too short for so many. */
const emptyObjects = (count: number) => Buffer.from(`[${Array(count).fill('{}').join()}]`)

it.each(jsonEntries.slice(0, 3))('$name with a million empty objects is rejected', async ({ member }) => {
  const error: unknown = await member(emptyObjects(1_000_000)).catch((thrown: unknown) => thrown)

  expect(isSdkError(error), String(error)).toBe(true)
})

it.each(jsonEntries.slice(0, 3))('$name with 400,000 empty objects is accepted', async ({ member }) => {
  await expect(member(emptyObjects(400_000))).resolves.toHaveLength(400_000)
})

it('a response with a million objects of a usual size is accepted', async () => {
  const [documented] = jsonEntries
  const row = '{"email":"person@example.com"}'

  await expect(documented?.member(Buffer.from(`[${Array(1_000_000).fill(row).join()}]`))).resolves.toHaveLength(
    1_000_000,
  )
})

it.each(jsonEntries)('$name never changes the prototype of an object', async ({ whole, member }) => {
  const polluting = [
    '{"__proto__":{"polluted":1}}',
    '{"a":{"__pro\\u0074o__":{"polluted":1}}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
  ]
  for (const json of polluting) {
    for (const call of [whole, member]) {
      const value = await call(Buffer.from(json)).catch((thrown: unknown) => thrown)
      expect(Object({}).polluted).toBeUndefined()
      if (isSdkError(value)) continue
      // What a caller assigns to an object of its own does not change that object's prototype.
      expect(Object(Object.assign({}, value)).polluted).toBeUndefined()
    }
  }
})

it.each([
  [1_500_001, ':', 'InvalidResponseError'],
  [1_500_001, ' :', 'InvalidResponseError'],
  [1_400_000, ':', undefined],
])(
  'an object with %i names before %j gives %s, and a list of as many times is no such object',
  async (count, colon, name) => {
    // The names repeat, because different ones would take seconds where they are accepted.
    const later = `{${`"member"${colon}1,`.repeat(count - 1)}"last"${colon}1}`
    const times = `["2026-01-01T00:00:00Z"${',"2026-01-01T00:00:00Z"'.repeat(count / 2)}]`
    const text = (value: string) => `{"success":true,"data":${withMember(aSession(), value)},"error":null}`
    const { client } = testClient({ fetch: async () => new Response(text(bodies.shift() ?? '')) })
    const bodies = [later, times]

    const [error, listed] = await Promise.allSettled([client.sessions.retrieve('s'), client.sessions.retrieve('s')])

    expect(error.status === 'rejected' ? error.reason.name : undefined).toBe(name)
    expect(listed.status).toBe('fulfilled')
  },
)
