// Not ASCII: cspell:ignore schlüssel

import { createHmac } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import {
  ConfigurationError,
  signWebhook,
  verifyWebhook,
  verifyWebhookSignature,
  WebhookVerificationError,
} from '../../src/webhooks.ts'
import { livenessCheck } from '../support/fixtures.ts'
import { aDelivery, anEvent, clockAt, secret, signedAt, signedBytes } from '../support/webhook.ts'

type Delivery = { body: unknown; headers: unknown }

const now = clockAt(signedAt)
const verify = (delivery: Delivery, more: object = {}) =>
  verifyWebhook({ secret, now, ...(delivery as Awaited<ReturnType<typeof aDelivery>>), ...more })

/** A delivery with one header changed, or removed if `change` returns `undefined`. */
async function withHeader(name: string, change: (value: string) => unknown): Promise<Delivery> {
  const { headers, body } = await aDelivery()
  return { body, headers: { ...headers, [name]: change(headers[name] as string) } }
}

async function withBody(change: (body: string) => unknown): Promise<Delivery> {
  const { headers, body } = await aDelivery()
  return { body: change(body), headers }
}

const signed = (body: string | Uint8Array, eventId?: string) => () => signedBytes(body, eventId)
const json = (more: object) => JSON.stringify(anEvent(more))
const timestamp = 'x-svc-timestamp'
const eventId = 'x-svc-event-id'
const signature = 'x-svc-signature'

const attacks: readonly [title: string, reason: string, make: () => Promise<Delivery>][] = [
  ['no headers at all', 'missing_header', async () => ({ ...(await aDelivery()), headers: {} })],
  ['headers that are null', 'missing_header', async () => ({ ...(await aDelivery()), headers: null })],
  [
    'headers that are inherited',
    'missing_header',
    async () => {
      const { body, headers } = await aDelivery()
      return { body, headers: Object.create(headers) }
    },
  ],
  ['two event ids joined by a comma', 'malformed_header', () => withHeader(eventId, (value) => `${value}, ${value}`)],
  ['a timestamp sent twice', 'malformed_header', () => withHeader(timestamp, (value) => [value, value])],
  ['a signature sent twice', 'malformed_header', () => withHeader(signature, (value) => [value, value])],
  ['an event id sent twice', 'malformed_header', () => withHeader(eventId, (value) => [value, value])],
  [
    'two signatures joined by a comma',
    'malformed_header',
    () => withHeader(signature, (value) => `${value}, ${value}`),
  ],
  [
    'two spellings of the signature',
    'malformed_header',
    async () => {
      const { body, headers } = await aDelivery()
      return { body, headers: { ...headers, 'X-Svc-Signature': headers[signature] } }
    },
  ],
  [
    'two spellings of the timestamp',
    'malformed_header',
    async () => {
      const { body, headers } = await aDelivery()
      return { body, headers: { ...headers, 'X-SVC-Timestamp': headers[timestamp] } }
    },
  ],
  [
    'two spellings of the event id',
    'malformed_header',
    async () => {
      const { body, headers } = await aDelivery()
      return { body, headers: { ...headers, 'X-Svc-Event-Id': headers[eventId] } }
    },
  ],
  ['a short signature', 'malformed_header', () => withHeader(signature, (value) => value.slice(1))],
  ['a long signature', 'malformed_header', () => withHeader(signature, (value) => `${value}0`)],
  ['a signature that is not hex', 'malformed_header', () => withHeader(signature, (value) => `g${value.slice(1)}`)],
  ['an empty signature', 'malformed_header', () => withHeader(signature, () => '')],
  ['a signature with a line break', 'malformed_header', () => withHeader(signature, (value) => `${value}\n`)],
  ['a timestamp with a sign', 'malformed_header', () => withHeader(timestamp, (value) => `+${value}`)],
  ['a timestamp with a fraction', 'malformed_header', () => withHeader(timestamp, (value) => `${value}.0`)],
  ['a timestamp in hex', 'malformed_header', () => withHeader(timestamp, () => '0x1')],
  ['a timestamp of 13 digits', 'malformed_header', () => withHeader(timestamp, () => '1767225600000')],
  ['a timestamp that is a number', 'malformed_header', () => withHeader(timestamp, Number)],
  ['another timestamp', 'signature_mismatch', () => withHeader(timestamp, (value) => String(Number(value) + 1))],
  ['a timestamp with a leading zero', 'signature_mismatch', () => withHeader(timestamp, (value) => `0${value}`)],
  ['a byte order mark added', 'signature_mismatch', () => withBody((body) => `\uFEFF${body}`)],
  [
    'the signature of another delivery',
    'signature_mismatch',
    async () => {
      const other = await aDelivery({ event_id: 'evt_2' })
      return { body: (await aDelivery()).body, headers: other.headers }
    },
  ],
  ['a parsed object', 'body_not_raw', () => withBody((body) => JSON.parse(body))],
  ['no body', 'body_not_raw', () => withBody(() => undefined)],
  ['a Uint16Array', 'body_not_raw', () => withBody(() => new Uint16Array([8315, 8317]))],
  ['a DataView', 'body_not_raw', () => withBody(() => new DataView(new ArrayBuffer(2)))],
  ['a body that is null', 'body_not_raw', () => withBody(() => null)],
  [
    'text with a lone surrogate that has the hash of the signed text',
    'signature_mismatch',
    async () => {
      const { headers } = await signedBytes(json({ vendor_data: '\uFFFD' }), 'evt_1')
      return { body: json({ vendor_data: '\uFFFD' }).replace('\uFFFD', '\uD800'), headers }
    },
  ],
  [
    'a transferred ArrayBuffer',
    'signature_mismatch',
    () =>
      withBody((body) => {
        const { buffer } = new TextEncoder().encode(body)
        structuredClone(buffer, { transfer: [buffer] })
        return buffer
      }),
  ],
  ['a signed byte order mark', 'invalid_payload', signed(`\uFEFF${json({})}`)],
  ['signed bytes that are not UTF-8', 'invalid_payload', signed(new Uint8Array([0x22, 0xff, 0x22]))],
  ['signed text that is not JSON', 'invalid_payload', signed('{"event_id":')],
  ['an empty signed body', 'invalid_payload', signed('')],
  ['a signed array', 'invalid_payload', signed('[]')],
  ['a signed null', 'invalid_payload', signed('null')],
  ['a signed string', 'invalid_payload', signed('""')],
  ['no event id', 'invalid_payload', signed(json({ event_id: undefined }))],
  ['no type', 'invalid_payload', signed(json({ type: undefined }))],
  ['no session id', 'invalid_payload', signed(json({ session_id: undefined }))],
  ['an empty event id', 'invalid_payload', signed(json({ event_id: '' }), '')],
  ['an event id that is a number', 'invalid_payload', signed(json({ event_id: 7 }), '7')],
  ['an empty type', 'invalid_payload', signed(json({ type: '' }))],
  ['a type that is null', 'invalid_payload', signed(json({ type: null }))],
  ['an empty session id', 'invalid_payload', signed(json({ session_id: '' }))],
  ['a session id that is a number', 'invalid_payload', signed(json({ session_id: 7 }))],
  ['a decision that is neither outcome', 'invalid_payload', signed(json({ decision: { decision: 'IN_REVIEW' } }))],
  ['a decision in lower case', 'invalid_payload', signed(json({ decision: { decision: 'approved' } }))],
  ['a decision that is a list', 'invalid_payload', signed(json({ decision: { decision: ['APPROVED'] } }))],
  [
    'a duplicate member whose last value is not an outcome',
    'invalid_payload',
    signed(json({}).replace('"decision":"APPROVED"', '"decision":"APPROVED","decision":"MAYBE"')),
  ],
]

it.each(attacks)('rejects %s as %s', async (_, reason, make) => {
  const error: unknown = await verify(await make()).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(WebhookVerificationError)
  expect(error).toMatchObject({ reason })
})

it('verifyWebhook returns the event_id of the signed body, also if the event id header is another one', async () => {
  const { event_id } = await verify(await signed(json({}), 'evt_2')())
  expect(event_id).toBe('evt_1')
})

it.each([
  [300, true],
  [-300, true],
  [301, false],
  [-301, false],
])('accepts a delivery that is %i seconds old by default: %s', async (age, accepted) => {
  const verified = verify(await aDelivery(), { now: clockAt(signedAt + age) })
  if (accepted) await expect(verified).resolves.toMatchObject({ event_id: 'evt_1' })
  else await expect(verified).rejects.toMatchObject({ reason: 'timestamp_out_of_tolerance' })
})

it('with a tolerance of 0, accepts only the exact second', async () => {
  const delivery = await aDelivery()
  await expect(verify(delivery, { toleranceSeconds: 0 })).resolves.toBeDefined()
  await expect(verify(delivery, { toleranceSeconds: 0, now: clockAt(signedAt + 1) })).rejects.toMatchObject({
    reason: 'timestamp_out_of_tolerance',
  })
})

it.each([-1, 86_401, 300_000, Number.NaN, Number.POSITIVE_INFINITY, null, '300', true, [5], new Date()])(
  'rejects a tolerance of %s with a ConfigurationError',
  async (bad) => {
    const toleranceSeconds = bad as number
    await expect(verify(await aDelivery(), { toleranceSeconds })).rejects.toBeInstanceOf(ConfigurationError)
  },
)

it('encodes a secret as UTF-8', async () => {
  const { headers, body } = await aDelivery()
  const key = new TextEncoder().encode('schlüssel')
  const digits = createHmac('sha256', key).update(`${headers[timestamp]}.${body}`).digest('hex')

  const given = { body, headers: { ...headers, [signature]: digits } }
  await expect(verify(given, { secret: 'schlüssel' })).resolves.toMatchObject({ event_id: 'evt_1' })
})

it('accepts a delivery signed with any secret of the list', async () => {
  const secrets = ['new', secret]
  await expect(verify(await aDelivery(), { secret: secrets })).resolves.toBeDefined()
  await expect(verify(await aDelivery({}, { secret: 'new' }), { secret: secrets })).resolves.toBeDefined()
  await expect(verify(await aDelivery({}, { secret: 'old' }), { secret: secrets })).rejects.toMatchObject({
    reason: 'signature_mismatch',
  })
})

it.each([
  ['text', (body: string) => body],
  ['a Buffer', (body: string) => Buffer.from(body)],
  ['a Uint8Array inside a larger buffer', (body: string) => new Uint8Array(Buffer.from(`xx${body}xx`)).subarray(2, -2)],
  ['an ArrayBuffer', (body: string) => new TextEncoder().encode(body).buffer],
])('accepts the body as %s', async (_, shape) => {
  const { body, headers } = await aDelivery({ vendor_data: 'Zoë 🦉' })
  await expect(verify({ body: shape(body), headers })).resolves.toEqual(JSON.parse(body))
})

it.each([
  ['Headers', (headers: Record<string, string>) => new Headers(headers)],
  ['Node headers', (headers: Record<string, string>) => ({ host: 'localhost', ...headers })],
  [
    'an object with the spelling of the contract',
    (headers: Record<string, string>) => ({
      'X-Svc-Timestamp': headers[timestamp],
      'X-Svc-Event-Id': headers[eventId],
      'X-Svc-Signature': headers[signature],
    }),
  ],
  [
    'one-element lists',
    (headers: Record<string, string>) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
  ],
])('accepts the headers as %s', async (_, shape) => {
  const { body, headers } = await aDelivery()
  await expect(verify({ body, headers: shape(headers) })).resolves.toMatchObject({ session_id: 'sess_1' })
})

it.each([null, undefined])('ignores a header that is %s next to another spelling of it', async (none) => {
  const { body, headers } = await aDelivery()
  const more = { ...headers, 'X-Svc-Timestamp': none, 'X-Svc-Event-Id': none, 'X-Svc-Signature': none }
  await expect(verify({ body, headers: more })).resolves.toMatchObject({ session_id: 'sess_1' })
})

it('rejects a header that was appended twice to a Headers object', async () => {
  const { body, headers } = await aDelivery()
  const doubled = new Headers(headers)
  doubled.append(signature, headers[signature] as string)
  await expect(verify({ body, headers: doubled })).rejects.toMatchObject({ reason: 'malformed_header' })
})

it.each([
  [
    'none of the optional fields',
    { status: undefined, vendor_data: undefined, decision: undefined, occurred_at: undefined },
  ],
  ['null in every optional field', { status: null, vendor_data: null, decision: null, occurred_at: null, test: null }],
  ['a pending decision', { decision: { status: 'IN_REVIEW', decision: null, decided_at: null, checks: null } }],
  ['a type that is not listed', { type: 'verification.suspended' }],
  ['a status that is not listed', { status: 'PAUSED' }],
  [
    'fields that are not documented',
    {
      later: { nested: [1] },
      decision: {
        decision: 'APPROVED',
        reviewer: 'r_1',
        checks: [livenessCheck({ data: { iris: 0.9 }, device: 'a' })],
      },
    },
  ],
  ['vendor data that is a number', { vendor_data: 42 }],
  ['a status that is a number', { status: 7 }],
  ['a test flag that is a string', { test: 'yes' }],
  ['a time that is a number', { occurred_at: 1_767_225_600 }],
  ['a decision that is a string', { decision: 'APPROVED' }],
  ['a decision that is an empty object', { decision: {} }],
  ['checks that are an object', { decision: { decision: 'DECLINED', checks: { liveness: 'passed' } } }],
  ['a check without a type', { decision: { decision: 'APPROVED', checks: [{ status: 1, data: {} }] } }],
])('accepts an event with %s', async (_, more) => {
  const event = anEvent(more)
  await expect(verify(await aDelivery(more))).resolves.toEqual(JSON.parse(JSON.stringify(event)))
})

it.each([
  ['a duplicate event id', { event_id: 'evt_1' }, '"event_id":"evt_0","event_id":"evt_1"'],
  ['a duplicate type', { type: 'u' }, '"type":"verification.approved","type":"u"'],
  ['a duplicate whose name is escaped', { type: 'u' }, '"type":"verification.approved","\\u0074ype":"u"'],
  ['a duplicate session id', { session_id: 's' }, '"session_id":"sess_1","session_id":"s"'],
])('reads %s as JSON.parse reads it', async (_, last, members) => {
  const name = Object.keys(last)[0] as keyof ReturnType<typeof anEvent>
  const body = json({}).replace(`"${name}":"${anEvent()[name]}"`, members)
  const event = await verify(await signedBytes(body, 'evt_1'))
  expect(event).toEqual(JSON.parse(body))
  expect(event).toMatchObject(last)
})

it.each(['__proto__', '\\u005f_proto__', '__pro\\u0074o__'])(
  'drops a member of an event named %s, so that no prototype is changed',
  async (name) => {
    const body = json({ decision: { decision: null } }).replaceAll('{', `{"${name}":{"polluted":true},`)
    const event = await verify(await signedBytes(body))
    const { decision } = Object.assign({}, event)
    const merged = [Object.assign({}, event), Object.assign({}, decision), {}]
    expect(merged.map((object) => 'polluted' in object)).toEqual([false, false, false])
    expect(Object.getPrototypeOf(event)).toBe(Object.prototype)
  },
)

it('the message of a rejection names the fix for a parsed body, and quotes nothing of the delivery', async () => {
  const canary = 'CANARY-51c9'
  const errors = await Promise.all(
    [
      verify(await withBody(() => ({ canary }))),
      verify(await signedBytes(`{"${canary}":`)),
      verify(await signedBytes(json({ session_id: 1, vendor_data: canary }))),
      verify(await signedBytes(json({ type: '', decision: { decision: canary } }))),
      verify(await signedBytes(json({ decision: { decision: canary } }))),
      verify(await aDelivery({ vendor_data: canary }, { secret: canary })),
    ].map((verified) => verified.catch((error: Error) => error)),
  )
  expect((errors[0] as Error).message).toMatch(/raw body is missing.*before parsers.*request\.text.*event\.body/)
  for (const error of errors as Error[]) {
    expect(error).toBeInstanceOf(WebhookVerificationError)
    expect(`${error.stack}${JSON.stringify(error)}${String(error.cause)}`).not.toContain(canary)
  }
})

it.each([
  ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'it is not valid UTF-8'],
  ['text that is not JSON', '{"event_id":', 'it is not valid JSON'],
  ['a number', '5', 'it is not a JSON object'],
  [
    'missing and empty ids',
    '{"event_id":"","session_id":7}',
    'event_id must not be empty; type is required; session_id must be a string',
  ],
  [
    'an unknown outcome',
    json({ decision: { decision: 'IN_REVIEW' } }),
    'decision.decision must be "APPROVED", "DECLINED", null or absent',
  ],
])('the message of a rejection of %s says what is wrong', async (_, body, fault) => {
  const message = `verifyWebhook: the signature is valid, but the payload is not an event: ${fault}`
  await expect(verify(await signedBytes(body))).rejects.toMatchObject({ message })
})

it.each([
  [
    'no timestamp',
    () => withHeader(timestamp, () => undefined),
    'verifyWebhook: the x-svc-timestamp header is missing. Check that no proxy removes it.',
  ],
  [
    'a short signature',
    () => withHeader(signature, () => 'f'),
    'verifyWebhook: the x-svc-signature header is malformed or repeated',
  ],
  [
    'two event ids',
    () => withHeader(eventId, () => 'a, b'),
    'verifyWebhook: the x-svc-event-id header is malformed or repeated',
  ],
])('the message of a rejection of %s names the header', async (_, make, message) => {
  await expect(verify(await make())).rejects.toMatchObject({ message })
})

it.each<[what: string, change: (body: string) => unknown, words: string]>([
  ['JSON.stringify of the parsed body', (body) => JSON.stringify(JSON.parse(body)), 'parsed and serialized again'],
  ['its bytes', (body) => Buffer.from(JSON.stringify(JSON.parse(body))), 'parsed and serialized again'],
  ['JSON.stringify of a Buffer', (body) => JSON.stringify(Buffer.from(body)), 'parsed and serialized again'],
  ['String() of the parsed body', (body) => String(JSON.parse(body)), 'an object as text'],
  ['base64 of the body', (body) => btoa(body), 'base64: on AWS Lambda'],
])('%s is body_not_raw, and not a body that was cut', async (_, change, words) => {
  const { headers, body } = await signedBytes(JSON.stringify(anEvent(), undefined, 2))
  const length = { ...headers, 'content-length': String(Buffer.byteLength(body)) }

  await expect(verify({ body: change(String(body)), headers: length })).rejects.toMatchObject({
    reason: 'body_not_raw',
    message: expect.stringContaining(words),
  })
})

it('arguments in the order of another SDK are a ConfigurationError that shows the form', async () => {
  const { body, headers } = await aDelivery()
  const call = verifyWebhook as unknown as (...given: unknown[]) => Promise<unknown>

  for (const given of [body, Buffer.from(String(body))])
    await expect(call(given, headers[signature], secret)).rejects.toThrow(
      new ConfigurationError({ message: 'verifyWebhook: pass one object: verifyWebhook({ body, headers, secret })' }),
    )
})

it('a delivery of an emulator is a ConfigurationError in production, unless an emulator is meant', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  const { body, headers } = await aDelivery()
  for (const emulated of [{ ...headers, 'x-emulator': '1' }, new Headers({ ...headers, 'x-emulator': '1' })]) {
    vi.stubEnv('SVC_EMULATOR_ONLY', '')
    await expect(verify({ body, headers: emulated })).rejects.toThrow(/from an emulator.*NODE_ENV is production/)
    vi.stubEnv('SVC_EMULATOR_ONLY', '1')
    await expect(verify({ body, headers: emulated })).resolves.toBeDefined()
  }
})

it('the secret of the emulator is a ConfigurationError in production, also in a list, unless an emulator is meant', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  const known = 'emulator_webhook_secret'
  const { body, headers } = await signWebhook({ event: anEvent(), secret: known, timestamp: signedAt })
  for (const secret of [known, ['a_secret_of_the_application', known]]) {
    vi.stubEnv('SVC_EMULATOR_ONLY', '')
    for (const verifies of [verifyWebhook, verifyWebhookSignature])
      await expect(verifies({ body, headers, secret, now })).rejects.toThrow(
        /is that of the emulator, which everybody knows.*SVC_EMULATOR_ONLY=1\.$/,
      )
    vi.stubEnv('SVC_EMULATOR_ONLY', '1')
    await expect(verifyWebhook({ body, headers, secret, now })).resolves.toBeDefined()
  }
})

it('the message of a rejection by age says by how much, and in which direction', async () => {
  const late = verify(await aDelivery(), { now: clockAt(signedAt + 11), toleranceSeconds: 10 })
  await expect(late).rejects.toThrow(
    "verifyWebhook: the delivery was signed 11 s ago, and 10 s are allowed: it came late, or this machine's clock is ahead",
  )
  await expect(verify(await aDelivery(), { now: clockAt(signedAt - 3600) })).rejects.toThrow(
    "signed 3600 s in the future, and 300 s are allowed: this machine's clock is behind",
  )
})

it('the message of a signature mismatch says what to check', async () => {
  await expect(verify(await aDelivery(), { secret: 'other' })).rejects.toThrow(
    'verifyWebhook: no secret matches the signature. Check SVC_WEBHOOK_SECRET (test and production differ), ' +
      'and that the body is raw.',
  )
})

it('verifyWebhookSignature accepts any signed body, also without an event id', async () => {
  const { headers, body } = await signWebhook({ body: 'not json', secret, timestamp: signedAt })
  expect(headers).not.toHaveProperty(eventId)
  await expect(verifyWebhookSignature({ body, headers, secret, now })).resolves.toEqual({
    timestamp: signedAt,
  })
})

it('signWebhook signs with the current time by default', async () => {
  const { body, headers } = await signWebhook({ event: anEvent(), secret })
  await expect(verifyWebhook({ body, headers, secret, toleranceSeconds: 5 })).resolves.toMatchObject({
    event_id: 'evt_1',
  })
})

it.each([
  ['an id in a string', '{"event_id":"evt_7"}', 'evt_7'],
  ['an id in bytes', new TextEncoder().encode('{"event_id":"evt_7"}'), 'evt_7'],
  ['an id that is not a string', '{"event_id":7}', undefined],
  ['no members', 'null', undefined],
])('signWebhook sets the event id header only if the body has an event id: %s', async (_, body, id) => {
  expect((await signWebhook({ body, secret })).headers[eventId]).toBe(id)
})

const cyclic: { self?: unknown } = {}
cyclic.self = cyclic

it.each([
  [
    'a blank secret',
    { event: anEvent(), secret: ' ' },
    'signWebhook: secret must be one visible line without spaces around it, not undefined or null: pass it, or set SVC_WEBHOOK_SECRET',
  ],
  [
    'a timestamp in milliseconds',
    { event: anEvent(), secret, timestamp: Date.now() },
    /^signWebhook: timestamp must be .* seconds/,
  ],
  [
    'a timestamp with a fraction',
    { event: anEvent(), secret, timestamp: 1.5 },
    /^signWebhook: timestamp must be in whole/,
  ],
  ['neither event nor body', { secret }, /^signWebhook: pass either event or body/],
  ['both event and body', { event: anEvent(), body: '{}', secret }, /^signWebhook: pass either event or body/],
  ['an event that is not an object', { event: 'evt', secret }, /^signWebhook: event must be an object/],
  ['an event that is null', { event: null, secret }, /^signWebhook: event must be an object/],
  ['an event with a cycle', { event: cyclic, secret }, /^signWebhook: event cannot be serialized as JSON/],
])('signWebhook rejects %s with a ConfigurationError that names the option', async (_, params, message) => {
  const signing = signWebhook(params as Parameters<typeof signWebhook>[0])
  await expect(signing).rejects.toBeInstanceOf(ConfigurationError)
  await expect(signing).rejects.toThrow(message)
})
