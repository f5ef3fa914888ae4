import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import {
  ConfigurationError,
  signWebhook,
  verifyWebhook,
  verifyWebhookSignature,
  WebhookVerificationError,
} from '../../src/webhooks.ts'
import { aDelivery, anEvent, clockAt, secret, signedAt, signedBytes } from '../support/webhook.ts'

type Delivery = { body: unknown; headers: unknown }

const now = clockAt(signedAt)
const verify = (delivery: Delivery, more: object = {}) =>
  verifyWebhook({ secret, now, ...(delivery as Awaited<ReturnType<typeof aDelivery>>), ...more })

/** The header of a delivery changed; `undefined` takes it away. */
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
  ['no timestamp', 'missing_header', () => withHeader(timestamp, () => undefined)],
  ['no signature', 'missing_header', () => withHeader(signature, () => undefined)],
  ['no event id', 'missing_header', () => withHeader(eventId, () => undefined)],
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
  [
    'an event id joined from two',
    'malformed_header',
    () => withHeader(eventId, (value) => `${value}, ${value}`),
  ],
  ['a repeated timestamp', 'malformed_header', () => withHeader(timestamp, (value) => [value, value])],
  ['a repeated signature', 'malformed_header', () => withHeader(signature, (value) => [value, value])],
  ['a repeated event id', 'malformed_header', () => withHeader(eventId, (value) => [value, value])],
  [
    'a signature joined from two',
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
  [
    'a signature in upper case',
    'malformed_header',
    () => withHeader(signature, (value) => value.toUpperCase()),
  ],
  ['a short signature', 'malformed_header', () => withHeader(signature, (value) => value.slice(1))],
  ['a long signature', 'malformed_header', () => withHeader(signature, (value) => `${value}0`)],
  [
    'a signature that is not hex',
    'malformed_header',
    () => withHeader(signature, (value) => `g${value.slice(1)}`),
  ],
  ['an empty signature', 'malformed_header', () => withHeader(signature, () => '')],
  ['a signature with a line break', 'malformed_header', () => withHeader(signature, (value) => `${value}\n`)],
  ['a timestamp with a sign', 'malformed_header', () => withHeader(timestamp, (value) => `+${value}`)],
  ['a timestamp with a fraction', 'malformed_header', () => withHeader(timestamp, (value) => `${value}.0`)],
  ['a timestamp in hex', 'malformed_header', () => withHeader(timestamp, () => '0x1')],
  ['a timestamp of 13 digits', 'malformed_header', () => withHeader(timestamp, () => '1767225600000')],
  ['a timestamp that is a number', 'malformed_header', () => withHeader(timestamp, Number)],
  [
    'another timestamp',
    'signature_mismatch',
    () => withHeader(timestamp, (value) => String(Number(value) + 1)),
  ],
  [
    'a timestamp with a leading zero',
    'signature_mismatch',
    () => withHeader(timestamp, (value) => `0${value}`),
  ],
  ['another secret', 'signature_mismatch', () => aDelivery({}, { secret: 'other' })],
  ['a changed byte', 'signature_mismatch', () => withBody((body) => body.replace('user-42', 'user-43'))],
  ['a space added to the end', 'signature_mismatch', () => withBody((body) => `${body} `)],
  ['a byte order mark added', 'signature_mismatch', () => withBody((body) => `\uFEFF${body}`)],
  [
    'a body written anew',
    'signature_mismatch',
    () => withBody((body) => JSON.stringify(JSON.parse(body), null, 1)),
  ],
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
  ['words of 16 bits', 'body_not_raw', () => withBody(() => new Uint16Array([8315, 8317]))],
  ['a view that is no list of bytes', 'body_not_raw', () => withBody(() => new DataView(new ArrayBuffer(2)))],
  ['a body that is null', 'body_not_raw', () => withBody(() => null)],
  [
    'text that no bytes decode to, though it hashes like what was signed',
    'signature_mismatch',
    async () => {
      const { headers } = await signedBytes(json({ vendor_data: '\uFFFD' }), 'evt_1')
      return { body: json({ vendor_data: '\uFFFD' }).replace('\uFFFD', '\uD800'), headers }
    },
  ],
  [
    'bytes that were transferred elsewhere',
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
  ['a signed list', 'invalid_payload', signed('[]')],
  ['a signed null', 'invalid_payload', signed('null')],
  ['a signed text', 'invalid_payload', signed('""')],
  [
    'a member twice',
    'invalid_payload',
    signed('{"event_id":"evt_1","event_id":"evt_1","type":"t","session_id":"s"}'),
  ],
  [
    'a member twice, once in escapes',
    'invalid_payload',
    signed('{"event_id":"evt_1","type":"t","session_id":"s","\\u0074ype":"u"}'),
  ],
  ['no event id in the body', 'invalid_payload', signed(json({ event_id: undefined }))],
  ['an empty event id', 'invalid_payload', signed(json({ event_id: '' }), '')],
  ['no type', 'invalid_payload', signed(json({ type: undefined }))],
  ['a session id that is a number', 'invalid_payload', signed(json({ session_id: 7 }))],
  [
    'a decision that is neither outcome',
    'invalid_payload',
    signed(json({ decision: { decision: 'IN_REVIEW' } })),
  ],
  ['a decision in lower case', 'invalid_payload', signed(json({ decision: { decision: 'approved' } }))],
  ['vendor data that is a number', 'invalid_payload', signed(json({ vendor_data: 42 }))],
  ['an event id header of another event', 'event_id_mismatch', signed(json({}), 'evt_2')],
]

it.each(attacks)('refuses %s as %s', async (_, reason, make) => {
  const refusal: unknown = await verify(await make()).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(WebhookVerificationError)
  expect(refusal).toMatchObject({ reason })
})

it.each([
  [300, true],
  [-300, true],
  [301, false],
  [-301, false],
])('with the tolerance of the contract, a delivery %i seconds old is taken: %s', async (age, taken) => {
  const verified = verify(await aDelivery(), { now: clockAt(signedAt + age) })
  if (taken) await expect(verified).resolves.toMatchObject({ event_id: 'evt_1' })
  else await expect(verified).rejects.toMatchObject({ reason: 'timestamp_out_of_tolerance' })
})

it('a tolerance of 0 takes the very second only', async () => {
  const delivery = await aDelivery()
  await expect(verify(delivery, { toleranceSeconds: 0 })).resolves.toBeDefined()
  await expect(verify(delivery, { toleranceSeconds: 0, now: clockAt(signedAt + 1) })).rejects.toMatchObject({
    reason: 'timestamp_out_of_tolerance',
  })
})

it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, null, '300', true, [5], new Date()])(
  'a tolerance of %s is a configuration error',
  async (bad) => {
    const toleranceSeconds = bad as number
    await expect(verify(await aDelivery(), { toleranceSeconds })).rejects.toBeInstanceOf(ConfigurationError)
  },
)

it('what is not the whole of a signature is malformed, also right after one that was', async () => {
  const delivery = await aDelivery()
  const signature = String(delivery.headers['x-svc-signature'])
  for (const part of ['', signature.slice(0, 63), `${signature}0`, signature.toUpperCase()]) {
    await verify(delivery)
    const cut = verify({ ...delivery, headers: { ...delivery.headers, 'x-svc-signature': part } })
    await expect(cut, part).rejects.toMatchObject({ reason: 'malformed_header' })
  }
})

it.each([[''], [' \t'], [[]], [['good', ' ']], [undefined], [null], [42]])(
  'the secret %j is a configuration error',
  async (bad) => {
    await expect(verify(await aDelivery(), { secret: bad })).rejects.toBeInstanceOf(ConfigurationError)
  },
)

it('a secret beyond ASCII counts as UTF-8', async () => {
  const { headers, body } = await aDelivery()
  const key = new TextEncoder().encode('schlüssel')
  const digits = createHmac('sha256', key).update(`${headers[timestamp]}.${body}`).digest('hex')

  const given = { body, headers: { ...headers, [signature]: digits } }
  await expect(verify(given, { secret: 'schlüssel' })).resolves.toMatchObject({ event_id: 'evt_1' })
})

it('while secrets rotate, a delivery signed with any of them is taken', async () => {
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
  [
    'a Uint8Array inside a larger buffer',
    (body: string) => new Uint8Array(Buffer.from(`xx${body}xx`)).subarray(2, -2),
  ],
  ['an ArrayBuffer', (body: string) => new TextEncoder().encode(body).buffer],
])('takes the body as %s', async (_, shape) => {
  const { body, headers } = await aDelivery({ vendor_data: 'Zoë 🦉' })
  await expect(verify({ body: shape(body), headers })).resolves.toEqual(JSON.parse(body))
})

it.each([
  ['Headers', (headers: Record<string, string>) => new Headers(headers)],
  ['Node headers', (headers: Record<string, string>) => ({ host: 'localhost', ...headers })],
  [
    'the spelling of the contract',
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
])('takes the headers as %s', async (_, shape) => {
  const { body, headers } = await aDelivery()
  await expect(verify({ body, headers: shape(headers) })).resolves.toMatchObject({ session_id: 'sess_1' })
})

it.each([null, undefined])('a header that is %s counts as none, however else it is spelled', async (none) => {
  const { body, headers } = await aDelivery()
  const more = { ...headers, 'X-Svc-Timestamp': none, 'X-Svc-Event-Id': none, 'X-Svc-Signature': none }
  await expect(verify({ body, headers: more })).resolves.toMatchObject({ session_id: 'sess_1' })
})

it('repeated headers of a Headers object are refused', async () => {
  const { body, headers } = await aDelivery()
  const repeated = new Headers(headers)
  repeated.append(signature, headers[signature] as string)
  await expect(verify({ body, headers: repeated })).rejects.toMatchObject({ reason: 'malformed_header' })
})

it('the signature is the one of the contract: lowercase hex of HMAC-SHA256 over timestamp, dot and body', async () => {
  const { body, headers } = await aDelivery()
  const expected = createHmac('sha256', secret).update(`${signedAt}.${body}`).digest('hex')
  expect(headers[signature]).toBe(expected)
  expect(headers[timestamp]).toBe(String(signedAt))
})

it.each([
  [
    'all documented fields but the three that tell it',
    { status: undefined, vendor_data: undefined, decision: undefined, occurred_at: undefined },
  ],
  [
    'null in every optional field',
    { status: null, vendor_data: null, decision: null, occurred_at: null, test: null },
  ],
  [
    'a decision that is still open',
    { decision: { status: 'IN_REVIEW', decision: null, decided_at: null, checks: null } },
  ],
  ['a type that is not listed', { type: 'verification.suspended' }],
  ['a status that is not listed', { status: 'PAUSED' }],
  ['fields that are not documented', { later: { nested: [1] } }],
])('takes an event with %s', async (_, more) => {
  const event = anEvent(more)
  await expect(verify(await aDelivery(more))).resolves.toEqual(JSON.parse(JSON.stringify(event)))
})

it('a member named __proto__ changes no prototype', async () => {
  const body = json({}).replace('{', '{"__proto__":{"polluted":true},')
  const event = await verify(await signedBytes(body))
  expect(Object.getPrototypeOf(event)).toBe(Object.prototype)
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
})

it('a refusal says what to do about a parsed body, and quotes nothing of it', async () => {
  const canary = 'CANARY-51c9'
  const refusals = await Promise.all(
    [
      verify(await withBody(() => ({ canary }))),
      verify(await signedBytes(`{"${canary}":`)),
      verify(await signedBytes(json({ session_id: 1, vendor_data: canary }))),
      verify(await aDelivery({ vendor_data: canary }, { secret: canary })),
    ].map((verified) => verified.catch((error: Error) => error)),
  )
  expect((refusals[0] as Error).message).toMatch(/express\.raw.*request\.text.*Lambda/)
  for (const refusal of refusals as Error[]) {
    expect(`${refusal.stack}${JSON.stringify(refusal)}${String(refusal.cause)}`).not.toContain(canary)
  }
})

it.each([
  ['signed bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), /valid UTF-8$/],
  ['signed text that is not JSON', '{"event_id":', /not valid JSON$/],
  ['a signed number', '5', /not a JSON object$/],
  ['a member twice', '{"event_id":"evt_1","event_id":"evt_1"}', /members twice$/],
  [
    'fields of another type',
    json({ session_id: 7, decision: { decision: 'IN_REVIEW' } }),
    /of their type: session_id, decision\.decision$/,
  ],
])('the message of a refusal of %s says what is wrong with it', async (_, body, message) => {
  const refusal = verify(await signedBytes(body))
  await expect(refusal).rejects.toThrow(/^The body is signed, but no event: /)
  await expect(refusal).rejects.toThrow(message)
})

it.each([
  ['no timestamp', () => withHeader(timestamp, () => undefined), 'Header x-svc-timestamp is missing'],
  ['a short signature', () => withHeader(signature, () => 'f'), 'Header x-svc-signature is malformed'],
  ['two event ids', () => withHeader(eventId, () => 'a, b'), 'The header x-svc-event-id is repeated'],
  [
    'another event id',
    () => withHeader(eventId, () => 'b'),
    /^The header x-svc-event-id names another event/,
  ],
])('the message of a refusal of %s names the header', async (_, make, message) => {
  await expect(verify(await make())).rejects.toThrow(message)
})

it('the message of a refusal by age says how old a delivery may be, of another secret that none fits', async () => {
  const late = verify(await aDelivery(), { now: clockAt(signedAt + 11), toleranceSeconds: 10 })
  await expect(late).rejects.toThrow('Signed over 10 s from now')
  await expect(verify(await aDelivery(), { secret: 'other' })).rejects.toThrow('Signature fits no secret')
})

it('the signature alone can be verified: of any body, and without an event id', async () => {
  const { headers, body } = await signWebhook({ body: 'not json', secret, timestamp: signedAt })
  expect(headers).not.toHaveProperty(eventId)
  await expect(verifyWebhookSignature({ body, headers, secret, now })).resolves.toEqual({
    timestamp: signedAt,
  })
})

it('without a timestamp a delivery is signed now', async () => {
  const { body, headers } = await signWebhook({ event: anEvent(), secret })
  await expect(verifyWebhook({ body, headers, secret, toleranceSeconds: 5 })).resolves.toMatchObject({
    event_id: 'evt_1',
  })
})

it.each([
  ['an id in text', '{"event_id":"evt_7"}', 'evt_7'],
  ['an id in bytes', new TextEncoder().encode('{"event_id":"evt_7"}'), 'evt_7'],
  ['an id that is no text', '{"event_id":7}', undefined],
  ['no members', 'null', undefined],
])('a body with %s is signed with the header of its event id, or with none', async (_, body, id) => {
  expect((await signWebhook({ body, secret })).headers[eventId]).toBe(id)
})

const cyclic: { self?: unknown } = {}
cyclic.self = cyclic

it.each([
  ['a blank secret', { event: anEvent(), secret: ' ' }, /^secret must be text/],
  [
    'a timestamp in milliseconds',
    { event: anEvent(), secret, timestamp: Date.now() },
    /^timestamp must be .* seconds/,
  ],
  [
    'a timestamp with a fraction',
    { event: anEvent(), secret, timestamp: 1.5 },
    /^timestamp must be in whole/,
  ],
  ['neither event nor body', { secret }, /either event or body/],
  ['both event and body', { event: anEvent(), body: '{}', secret }, /either event or body/],
  ['an event that is no object', { event: 'evt', secret }, /^event must be an object/],
  ['an event that is null', { event: null, secret }, /^event must be an object/],
  ['an event that JSON cannot hold', { event: cyclic, secret }, /^event cannot be written as JSON/],
])('signing with %s is a configuration error that says so', async (_, params, message) => {
  const signing = signWebhook(params as Parameters<typeof signWebhook>[0])
  await expect(signing).rejects.toBeInstanceOf(ConfigurationError)
  await expect(signing).rejects.toThrow(message)
})
