import { createHmac } from 'node:crypto'
import { expect, expectTypeOf } from 'vitest'
import {
  createWebhookHandler,
  signWebhook,
  verifyWebhook,
  verifyWebhookSignature,
  type WebhookEvent,
  type WebhookEventType,
} from '../../src/webhooks.ts'
import { inProcess, webhookSecret } from '../emulator/support/service.ts'
import { sessionAt } from '../emulator/support/session-at.ts'
import { callback, receiver, signatureOf } from '../emulator/support/webhook-receivers.ts'
import { aDecision } from '../support/fixtures.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { aDelivery, anEvent, clockAt, secret, signedAt } from '../support/webhook.ts'
import { statement, statements } from './statement.ts'

// Webhooks: section 6 of the contract.

const now = clockAt(signedAt)

const ends = [
  ['APPROVED', 'verification.approved'],
  ['DECLINED', 'verification.declined'],
  ['IN_REVIEW', 'verification.in_review'],
  ['ABANDONED', 'verification.abandoned'],
  ['EXPIRED', 'verification.expired'],
] as const

/** A delivery whose MAC is computed here, over exactly these bytes. */
function delivery(body: string, { timestamp = String(signedAt), id = 'evt_1', key = secret } = {}) {
  const mac = createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex')
  return {
    body,
    headers: { 'X-Svc-Timestamp': timestamp, 'X-Svc-Event-Id': id, 'X-Svc-Signature': mac },
  }
}

const verify = (sent: { body: string; headers: Record<string, string> }) =>
  verifyWebhook({ ...sent, secret, now })

const refusalOf = async (sent: { body: string; headers: Record<string, string> }) =>
  Object(await thrownBy(verify(sent))).reason as unknown

/** The events that an emulator delivers when a session ends. */
async function delivered(status: (typeof ends)[number][0], fields: object = {}) {
  const { deliver, received } = receiver()
  const service = inProcess({ webhooks: { secret: webhookSecret, deliver } })
  const id = await sessionAt(service, status, { callback, ...fields })
  await service.emulator.webhooks.settled()
  const request = received.at(-1) ?? expect.fail('nothing was delivered')
  return { ...service, id, received, request, body: await request.clone().text() }
}

// Delivery

statements(
  '6',
  ends,
  (status, type) => `a session that becomes ${status} sends ${type} to its callback`,
  async (status, type) => {
    const { body, id, request } = await delivered(status)

    expect(request.url).toBe(callback)
    expect(JSON.parse(body)).toMatchObject({ type, session_id: id, status })
  },
)

statements(
  '6',
  ends,
  (status, type) => `${type} is a type of event, and is received with its status ${status}`,
  async (status, type) => {
    const event = await verify(delivery(JSON.stringify(anEvent({ type, status }))))

    expect(event).toMatchObject({ type, status })
    expectTypeOf<WebhookEventType>().toEqualTypeOf<(typeof ends)[number][1]>()
  },
)

statements(
  '6',
  ends,
  (_, type) => `the handler runs the callback of ${type}`,
  async (_, type) => {
    const handled: string[] = []
    const handler = createWebhookHandler({
      secret,
      now,
      on: { [type]: (event: WebhookEvent) => void handled.push(event.type) },
    })

    expect(await handler.handle(await aDelivery({ type }))).toMatchObject({
      status: 200,
      outcome: 'processed',
    })
    expect(handled).toEqual([type])
  },
)

statements(
  '6',
  [['NOT_STARTED'], ['IN_PROGRESS']],
  (status) => `a session that is ${status} has sent nothing`,
  async (status) => {
    const { deliver, received } = receiver()
    const service = inProcess({ webhooks: { secret: webhookSecret, deliver } })
    await sessionAt(service, status, { callback })
    await service.emulator.webhooks.settled()

    expect(received).toEqual([])
  },
)

statement('6', 'a webhook is a POST', async () => {
  expect((await delivered('APPROVED')).request.method).toBe('POST')
})

// Headers

statement('6', 'X-Svc-Timestamp is the time of the signature in unix seconds', async () => {
  const { emulator, request } = await delivered('APPROVED')

  expect(request.headers.get('x-svc-timestamp')).toBe(
    String(Math.floor(emulator.clock.now().getTime() / 1000)),
  )
})

statement('6', 'X-Svc-Event-Id is the unique id of the event', async () => {
  const [first, second] = [await delivered('APPROVED'), await delivered('APPROVED')]

  expect(first.request.headers.get('x-svc-event-id')).toBe(JSON.parse(first.body).event_id)
  expect(first.request.headers.get('x-svc-event-id')).not.toBe(second.request.headers.get('x-svc-event-id'))
})

statement(
  '6',
  'X-Svc-Signature is the lowercase hex HMAC-SHA256 of timestamp, dot and raw body',
  async () => {
    const { body, request } = await delivered('APPROVED')
    const signature = request.headers.get('x-svc-signature')

    expect(signature).toMatch(/^[0-9a-f]{64}$/)
    expect(signature).toBe(signatureOf(request.headers.get('x-svc-timestamp'), body))
  },
)

statement('6', 'signWebhook signs like the service', async () => {
  const body = JSON.stringify(anEvent())

  const { headers } = await signWebhook({ body, secret, timestamp: signedAt })

  expect(new Headers(headers).get('x-svc-signature')).toBe(delivery(body).headers['X-Svc-Signature'])
})

// The rules of a receiver

statement(
  '6',
  'a signature over the raw body is accepted, without re-serialization of the body',
  async () => {
    const body = `{ "event_id" : "evt_1",\n "type":"verification.approved", "session_id":"sess_\\u0031" , "n": 1.0 }`

    expect(await verify(delivery(body))).toMatchObject({ event_id: 'evt_1', session_id: 'sess_1' })
  },
)

statements(
  '6',
  [
    ['a byte more', (body: string) => `${body} `],
    ['a byte less', (body: string) => body.slice(0, -1)],
    ['another byte', (body: string) => body.replace('sess_1', 'sess_2')],
    ['other white space', (body: string) => JSON.stringify(JSON.parse(body), null, 2)],
  ],
  (what) => `a body with ${what} does not fit the signature`,
  async (_, change) => {
    const { body, headers } = delivery(JSON.stringify(anEvent()))

    expect(await refusalOf({ body: change(body), headers })).toBe('signature_mismatch')
  },
)

statement('6', 'a signature of another secret is rejected', async () => {
  expect(await refusalOf(delivery(JSON.stringify(anEvent()), { key: 'another' }))).toBe('signature_mismatch')
})

statement('6', 'a signature in uppercase is rejected', async () => {
  const { body, headers } = delivery(JSON.stringify(anEvent()))

  const shouted = { ...headers, 'X-Svc-Signature': headers['X-Svc-Signature'].toUpperCase() }

  expect(await refusalOf({ body, headers: shouted })).toBe('malformed_header')
})

statements(
  '6',
  [['X-Svc-Timestamp'], ['X-Svc-Event-Id'], ['X-Svc-Signature']] as const,
  (name) => `a delivery without ${name} is rejected`,
  async (name) => {
    const { body, headers } = delivery(JSON.stringify(anEvent()))
    const { [name]: _, ...others } = headers

    expect(await refusalOf({ body, headers: others as Record<string, string> })).toBe('missing_header')
  },
)

statements(
  '6',
  [
    ['5 minutes', 300, true],
    ['5 minutes and a second', 301, false],
  ],
  (age, _, accepted) => `a timestamp that is ${age} old is ${accepted ? 'accepted' : 'rejected'}`,
  async (_, seconds, accepted) => {
    const sent = delivery(JSON.stringify(anEvent()), { timestamp: String(signedAt - seconds) })

    if (accepted) expect(await verify(sent)).toMatchObject({ event_id: 'evt_1' })
    else expect(await refusalOf(sent)).toBe('timestamp_out_of_tolerance')
  },
)

statements(
  '6',
  [
    ['a bad signature', { key: 'another' }],
    ['an old timestamp', { timestamp: String(signedAt - 400) }],
  ],
  (what) => `the handler responds with 400 to ${what}, never with 200`,
  async (_, options) => {
    const handler = createWebhookHandler({ secret, now, onTestEvent: () => {}, onError: () => {} })
    const { body, headers } = delivery(JSON.stringify(anEvent()), options)

    const response = await handler.fetch(
      new Request('https://app.example/hook', { method: 'POST', body, headers }),
    )

    expect(response.status).toBe(400)
  },
)

statement('6', 'the handler responds with 200 after success', async () => {
  const handler = createWebhookHandler({ secret, now, on: { 'verification.approved': () => {} } })
  const { body, headers } = delivery(JSON.stringify(anEvent()))

  const response = await handler.fetch(
    new Request('https://app.example/hook', { method: 'POST', body, headers }),
  )

  expect(response.status).toBe(200)
})

statement('6', 'a duplicate event id is processed once, and responded to with 200', async () => {
  let runs = 0
  const handler = createWebhookHandler({
    secret,
    now,
    on: {
      'verification.approved': () => {
        runs++
      },
    },
  })
  const results = [await handler.handle(await aDelivery()), await handler.handle(await aDelivery())]

  expect(results.map(({ outcome, status }) => [outcome, status])).toEqual([
    ['processed', 200],
    ['duplicate', 200],
  ])
  expect(runs).toBe(1)
})

statement('6', 'the signature alone can be verified too', async () => {
  const sent = delivery('anything')

  expect(await verifyWebhookSignature({ ...sent, secret, now })).toMatchObject({
    timestamp: expect.anything(),
  })
})

// The body

statements(
  '6',
  [
    ['event_id', 'evt_1'],
    ['type', 'verification.declined'],
    ['session_id', 'sess_9'],
    ['status', 'DECLINED'],
    ['vendor_data', 'user-9'],
    ['decision', aDecision()],
    ['occurred_at', '2026-02-01T00:00:00Z'],
  ],
  (field) => `an event has ${field}`,
  async (field, value) => {
    const { body } = await delivered('APPROVED', { vendor_data: 'user-42' })

    expect(await verify(delivery(JSON.stringify(anEvent({ [field]: value }))))).toHaveProperty(field, value)
    expect(JSON.parse(body)).toHaveProperty(field)
  },
)

statements(
  '6',
  [['event_id'], ['type'], ['session_id']],
  (field) => `an event without ${field} is rejected, because it has no identity`,
  async (field) => {
    expect(await refusalOf(delivery(JSON.stringify(anEvent({ [field]: undefined }))))).toBe('invalid_payload')
  },
)

statement('6', 'a check of an unexpected type hides no event', async () => {
  const checks = [{ type: 'credential', status: 'passed', data: { license: { specialty: ['a'] } } }]
  const event = anEvent({ decision: { status: 'APPROVED', decision: 'APPROVED', checks } })

  expect(await verify(delivery(JSON.stringify(event)))).toEqual(event)
})

statement('6', 'the decision of an event has the form of a decision', async () => {
  const { body, decisionOf, id } = await delivered('APPROVED')

  expect(Object.keys(JSON.parse(body).decision).sort()).toEqual(Object.keys(await decisionOf(id)).sort())
})

statement('6', 'occurred_at is ISO 8601', async () => {
  expect(JSON.parse((await delivered('APPROVED')).body).occurred_at).toMatch(/^\d{4}-\d\d-\d\dT.+Z$/)
})

statement('6', 'the full breakdown of the checks comes from the decision endpoint', async () => {
  const { decisionOf, id } = await delivered('APPROVED')

  expect((await decisionOf(id)).checks).toHaveLength(3)
})

// Console

statement('6', 'an event with test: true runs no callback except onTestEvent', async () => {
  const ran: string[] = []
  const handler = createWebhookHandler({
    secret,
    now,
    on: { 'verification.approved': () => void ran.push('on') },
    onTestEvent: () => void ran.push('test'),
  })

  expect(await handler.handle(await aDelivery({ test: true }))).toMatchObject({
    status: 200,
    outcome: 'test',
  })
  expect(ran).toEqual(['test'])
})

statement('6', 'an event of a session id that starts with sess_test_ is a test event', async () => {
  const handler = createWebhookHandler({ secret, now, onTestEvent: () => {} })

  expect(await handler.handle(await aDelivery({ session_id: 'sess_test_1' }))).toMatchObject({
    outcome: 'test',
  })
})

statements(
  '6',
  ends,
  (_, type) => `the emulator sends ${type} as a console test event, signed with the real secret`,
  async (_, type) => {
    const { deliver, received } = receiver()
    const { emulator } = inProcess({ webhooks: { secret: webhookSecret, deliver, destinations: [callback] } })

    await emulator.webhooks.sendTest(type)
    await emulator.webhooks.settled()

    const [request] = received
    const body = (await request?.text()) ?? ''
    expect(JSON.parse(body)).toMatchObject({
      type,
      test: true,
      session_id: expect.stringMatching(/^sess_test_/),
    })
    expect(request?.headers.get('x-svc-signature')).toBe(
      signatureOf(request?.headers.get('x-svc-timestamp'), body),
    )
  },
)

statement('6', 'a test event alters no verification', async () => {
  const { deliver } = receiver()
  const { emulator, get } = inProcess({
    webhooks: { secret: webhookSecret, deliver, destinations: [callback] },
  })

  await emulator.webhooks.sendTest('verification.approved')

  expect((await get('/api/v2/session')).data).toEqual([])
})

statement('6', 'the emulator can send a duplicate event', async () => {
  const { deliver, received } = receiver()
  const service = inProcess({ webhooks: { secret: webhookSecret, deliver } })
  service.emulator.webhooks.faults.add({ kind: 'duplicate' })
  await sessionAt(service, 'APPROVED', { callback })
  await service.emulator.webhooks.settled()

  expect(received.map(({ headers }) => headers.get('x-svc-event-id'))).toHaveLength(2)
  expect(new Set(received.map(({ headers }) => headers.get('x-svc-event-id'))).size).toBe(1)
})

statement('6', 'the emulator can send an event with a bad signature', async () => {
  const { deliver, received } = receiver()
  const service = inProcess({ webhooks: { secret: webhookSecret, deliver } })
  service.emulator.webhooks.faults.add({ kind: 'bad_signature' })
  await sessionAt(service, 'APPROVED', { callback })
  await service.emulator.webhooks.settled()

  const [request] = received
  const body = (await request?.clone().text()) ?? ''
  expect(request?.headers.get('x-svc-signature')).not.toBe(
    signatureOf(request?.headers.get('x-svc-timestamp'), body),
  )
})

statement('6', 'deliveries are recorded, and can be resent with the same event id', async () => {
  const { emulator, received } = await delivered('APPROVED')
  const [recorded] = emulator.webhooks.deliveries

  await emulator.webhooks.resend(recorded?.id ?? '')

  expect(received.map(({ headers }) => headers.get('x-svc-event-id'))).toEqual([recorded?.id, recorded?.id])
})
