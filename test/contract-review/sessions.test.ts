import { expect, expectTypeOf } from 'vitest'
import {
  assertPassed,
  type ConflictError,
  type Decision,
  isErrorCode,
  type Outcome,
  parseReturnUrl,
  type Session,
  type SessionCreateParams,
  unlistedFields,
} from '../../src/index.ts'
import type { SessionStatusUpdate } from '../../src/verification.ts'
import { everyCheck } from '../emulator/support/checks.ts'
import { pressButton } from '../emulator/support/press-button.ts'
import { inProcess, later, webhookSecret } from '../emulator/support/service.ts'
import { sessionAt } from '../emulator/support/session-at.ts'
import { callback, receiver } from '../emulator/support/webhook-receivers.ts'
import { aDecision, aSession, aWorkflow, idCheck } from '../support/fixtures.ts'
import { errorResponse, ok } from '../support/scripted-service.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { testClient } from '../support/verification-client.ts'
import { documentedCalls, type JsonType, otherThan } from './documented-calls.ts'
import { statement, statements } from './statement.ts'

// Hosted sessions: sections 2.2, 2.4, 2.7, 3.1, 4.1 and 4.2 of the contract.

const { service, received, rejected, failed, sent, strictClients } = documentedCalls()

const openStatuses = ['NOT_STARTED', 'IN_PROGRESS', 'IN_REVIEW'] as const
const verdicts = ['APPROVED', 'DECLINED'] as const
const allStatuses = [...openStatuses, ...verdicts, 'ABANDONED', 'EXPIRED'] as const

/** An emulator whose webhooks a test receives, with a session at a status. */
async function hosted(status: (typeof allStatuses)[number], fields: object = {}) {
  const { deliver, received } = receiver()
  const emulated = inProcess({ webhooks: { secret: webhookSecret, deliver } })
  const id = await sessionAt(emulated, status, { callback, ...fields })
  const types = async () => {
    await emulated.emulator.webhooks.settled()
    return Promise.all(received.map(async (request) => Object(await request.clone().json()).type))
  }
  return { ...emulated, id, types }
}

// 2.2, the fields of a session

statements(
  '2.2',
  [
    ['session_id', 'string', 'sess_1'],
    ['status', 'string', 'NOT_STARTED'],
    ['url', 'string', 'https://id.example.test/s/abc123'],
    ['session_token', 'string', 'st_1'],
    ['features', 'array', ['id_verification', 'liveness']],
    ['redirect_url', 'string', 'https://app.example.test/return'],
    ['expires_at', 'string', '2026-01-01T01:00:00Z'],
  ] as readonly [keyof Session, JsonType, unknown][],
  (field, type) =>
    `a session has ${field}, and a value that is not of type ${type} is rejected in strict mode`,
  async (field, type, value) => {
    const session = aSession({ [field]: value })

    expect(await received('sessions.create', session)).toEqual(session)
    expect(await rejected('sessions.create', aSession({ [field]: otherThan[type] }))).toMatchObject({
      code: 'invalid_response',
      message: expect.stringContaining(field),
    })
  },
)

statement('2.2', 'the emulator serves a new session with exactly the seven fields', async () => {
  const session = await inProcess().session({ redirect_url: 'https://app.example/back' })

  expect(Object.keys(session).sort()).toEqual([
    'expires_at',
    'features',
    'redirect_url',
    'session_id',
    'session_token',
    'status',
    'url',
  ])
})

statement('2.2', 'the url of a session is a page below /s/ of the base URL', async () => {
  const { session, url } = inProcess()

  expect((await session()).url).toMatch(new RegExp(`^${url}/s/[^/]+$`))
})

statement('2.2', 'the session token is not the API key, so a browser may have it', async () => {
  const { session, raw } = inProcess()
  const { session_token } = await session()

  expect(session_token).not.toContain('key_1')
  const headers = { 'X-API-Key': session_token }
  expect((await raw('GET', '/api/v2/session', { headers })).status).toBe(401)
})

statement('2.2', 'the features of a session are the check types of its workflow', async () => {
  const { session } = inProcess({ workflows: [everyCheck] })

  expect((await session({ workflow_id: 'wf_all' })).features).toEqual([
    'id_verification',
    'liveness',
    'face_match',
    'age',
    'credential',
    'location',
  ])
})

statement('2.2', 'expires_at is an ISO 8601 timestamp in UTC', async () => {
  const { expires_at } = await inProcess().session({ ttl_seconds: 90 })

  expect(expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
  expect(new Date(expires_at)).toEqual(later(90))
})

statement('2.2', 'a retrieved session also shows its workflow, vendor_data and timestamps', async () => {
  const { get, session } = inProcess()
  const { session_id } = await session({ vendor_data: 'user-42' })

  const { data } = await get<Record<string, unknown>>(`/api/v2/session/${session_id}`)

  expect(Object.values(data)).toEqual(
    expect.arrayContaining(['wf_identity', 'user-42', later(0).toISOString()]),
  )
})

statement('2.2', 'fields of a retrieved session whose names are not shown are kept', async () => {
  const more = { workflow: 'wf_1', created_at: '2026-01-01T00:00:00Z', deep: { a: [1, null] } }

  const session = (await received('sessions.retrieve', aSession(more))) as Session

  expect(session).toEqual(aSession(more))
  expect(unlistedFields(session)).toEqual(more)
})

// 2.2, the fields of a request

statements(
  '2.2',
  [
    ['workflow_id', 'wf_1', 7],
    ['redirect_url', 'https://app.example.test/return?from=idv', 'not a URL'],
    ['callback', 'https://app.example.test/webhooks', 'not a URL'],
    ['vendor_data', 'user 42', {}],
    ['ttl_seconds', 900, 0.5],
    ['metadata', { plan: 'pro', nested: [1, { deep: null }] }, 'pro'],
    ['svc_access_token', 'token-of-the-person', 7],
  ] as readonly [keyof SessionCreateParams, unknown, unknown][],
  (field) => `a new session takes ${field}, which is sent unchanged, and another type is never sent`,
  async (field, value, wrong) => {
    service.respondTo('POST /api/v2/session', ok(aSession()))
    const request = await sent(({ client }) => client.sessions.create({ [field]: value }))
    const error = await thrownBy(strictClients().client.sessions.create({ [field]: wrong }))

    expect(await request.json()).toEqual({ [field]: value })
    expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: field }] })
    expect(service.requests).toHaveLength(1)
  },
)

statement('2.2', 'no field of a new session is known to be mandatory, so none is required', async () => {
  service.respondTo('POST /api/v2/session', ok(aSession()))

  await sent(({ client }) => client.sessions.create())

  expectTypeOf<object>().toExtend<SessionCreateParams>()
})

statement('2.2', 'workflow_id selects the checks to run', async () => {
  const { session } = inProcess({ workflows: [everyCheck, { id: 'wf_age', name: 'Age', features: ['age'] }] })

  expect((await session({ workflow_id: 'wf_age' })).features).toEqual(['age'])
})

statement('2.2', 'the browser returns to redirect_url with session_id and status', async () => {
  const emulated = inProcess()
  const { session_id, url } = await emulated.session({ redirect_url: 'https://app.example/back' })

  const address = await pressButton(emulated, url, /Leave/)

  expect(address).toBe(`https://app.example/back?session_id=${session_id}&status=ABANDONED`)
})

statement('2.2', 'the status in the return URL is read as a hint', () => {
  const returned = parseReturnUrl('https://app.example/back?session_id=sess_1&status=APPROVED')

  expect(returned).toEqual({ sessionId: 'sess_1', statusHint: 'APPROVED' })
})

statements(
  '2.2',
  [
    ['with a slash more', 'https://app.example/hook/'],
    ['with a query more', 'https://app.example/hook?a'],
    ['in another case', 'https://app.example/Hook'],
    ['over http', 'http://app.example/hook'],
    ['on another host', 'https://other.example/hook'],
  ],
  (what) => `a callback that equals an approved destination except ${what} is 422 callback_not_allowed`,
  async (_, other) => {
    const { post } = inProcess({ webhooks: { destinations: ['https://app.example/hook'] } })
    const create = (callback: string) => post('/api/v2/session', { callback })

    expect(await create(other)).toMatchObject({ status: 422, error: { code: 'callback_not_allowed' } })
    expect(await create('https://app.example/hook')).toMatchObject({ status: 200 })
  },
)

statement('2.2', 'callback_not_allowed is thrown as an UnprocessableError', async () => {
  const error = await failed('sessions.create', 422, 'callback_not_allowed')

  expect(error).toMatchObject({ name: 'UnprocessableError', status: 422, code: 'callback_not_allowed' })
})

statement('2.2', 'vendor_data is echoed in the decision', async () => {
  const { decisionOf, session } = inProcess()
  const { session_id } = await session({ vendor_data: 'user-42' })

  expect(await decisionOf(session_id)).toMatchObject({ vendor_data: 'user-42' })
  expectTypeOf<Decision['vendor_data']>().toEqualTypeOf<string | null | undefined>()
})

statement('2.2', 'vendor_data is echoed on webhooks', async () => {
  const { emulator } = await hosted('APPROVED', { vendor_data: 'user-42' })

  expect(emulator.webhooks.deliveries[0]?.event.vendor_data).toBe('user-42')
})

statement('2.2', 'ttl_seconds is the lifetime of a session in seconds', async () => {
  const { emulator, session, statusOf } = inProcess()
  const { session_id } = await session({ ttl_seconds: 60 })

  await emulator.clock.advance(59_999)
  expect(await statusOf(session_id)).toBe('NOT_STARTED')
  await emulator.clock.advance(1)
  expect(await statusOf(session_id)).toBe('EXPIRED')
})

statement('2.2', 'metadata is free-form, so the service accepts any object', async () => {
  const { post } = inProcess()

  expect((await post('/api/v2/session', { metadata: { a: [1, { b: null }] } })).status).toBe(200)
  expect((await post('/api/v2/session', { metadata: {} })).status).toBe(200)
})

statement('2.2', 'svc_access_token travels in the body, next to the API key in its header', async () => {
  service.respondTo('POST /api/v2/session', ok(aSession()))

  const request = await sent(({ client }) => client.sessions.create({ svc_access_token: 'token' }))

  expect(request.headers.get('authorization')).toBeNull()
  expect(request.headers.get('x-api-key')).not.toBeNull()
})

// 2.4, the fields of a decision

statements(
  '2.4',
  [...allStatuses.map((status) => [status] as const)],
  (status) => `the status of a decision may be ${status}`,
  async (status) => {
    const decision = aDecision({ status, decision: null })

    expect(await received('sessions.decision', decision)).toEqual(decision)
  },
)

statement('2.4', 'the status of a decision is a string', async () => {
  expect(await rejected('sessions.decision', aDecision({ status: 7 }))).toMatchObject({
    code: 'invalid_response',
  })
})

statements(
  '2.4',
  verdicts.map((verdict) => [verdict] as const),
  (verdict) => `the outcome of a decision may be ${verdict}`,
  async (verdict) => {
    const decision = aDecision({ decision: verdict })

    expect(await received('sessions.decision', decision)).toEqual(decision)
    expectTypeOf<Outcome>().toEqualTypeOf<'APPROVED' | 'DECLINED'>()
  },
)

statements(
  '2.4',
  [['IN_REVIEW'], ['approved'], ['PENDING'], [true]] as readonly [unknown][],
  (outcome) => `the outcome of a decision is never ${JSON.stringify(outcome)}`,
  async (outcome) => {
    expect(await rejected('sessions.decision', aDecision({ decision: outcome }))).toMatchObject({
      code: 'invalid_response',
      message: expect.stringContaining('decision'),
    })
  },
)

statement('2.4', 'a decision may still be pending', async () => {
  const pending = { status: 'IN_PROGRESS', decision: null, decided_at: null, checks: [] }

  expect(await received('sessions.decision', pending)).toEqual(pending)
})

statement('2.4', 'decided_at is a string in ISO 8601', async () => {
  const { decisionOf, id } = await hosted('APPROVED')

  expect((await decisionOf(id)).decided_at).toMatch(/^\d{4}-\d\d-\d\dT.+Z$/)
  expect(await rejected('sessions.decision', aDecision({ decided_at: 7 }))).toMatchObject({
    code: 'invalid_response',
  })
})

statement('2.4', 'the checks of a decision are an array of checks', async () => {
  expect(await rejected('sessions.decision', aDecision({ checks: idCheck() }))).toMatchObject({
    code: 'invalid_response',
  })
})

statement('2.4', 'the decision has a check for each feature of the workflow', async () => {
  const emulated = inProcess({ workflows: [everyCheck] })
  const id = await sessionAt(emulated, 'APPROVED', { workflow_id: 'wf_all' })

  expect((await emulated.decisionOf(id)).checks.map(({ type }) => type)).toEqual(everyCheck.features)
})

statement(
  '2.4',
  'APPROVED means that the ID is verified, the selfie live, the faces equal, the license the person’s',
  async () => {
    const emulated = inProcess()
    const id = await sessionAt(emulated, 'APPROVED', { workflow_id: 'wf_professional' })

    const { checks, decision } = await emulated.decisionOf(id)

    expect(decision).toBe('APPROVED')
    expect(checks.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'id_verification passed',
      'liveness passed',
      'face_match passed',
      'credential passed',
    ])
    const [, liveness, faceMatch, credential] = checks.map(({ data }) => data)
    expect(liveness).toMatchObject({ live_score: 1 })
    expect(Number(faceMatch?.similarity)).toBeGreaterThanOrEqual(Number(faceMatch?.threshold))
    expect(credential).toMatchObject({ match: true })
  },
)

statement('2.4', 'a session that is declined by its checks has a check that did not pass', async () => {
  const { decisionOf, id } = await hosted('DECLINED')

  const { checks } = await decisionOf(id)

  expect(checks.map(({ status }) => status)).toContain('failed')
})

statement('2.4', 'a leaf of a check whose type is not decisive hides no outcome, in any mode', async () => {
  const decision = aDecision({ checks: [idCheck({ data: { fields: { full_name: { first: 'Ada' } } } })] })

  for (const responseValidation of ['strict', 'warn', 'off'] as const) {
    service.respondTo('GET /api/v2/session/sess_1/decision', ok(decision))
    expect(await testClient({ responseValidation }).client.sessions.decision('sess_1')).toEqual(decision)
  }
})

statement('2.4', 'only APPROVED passes assertPassed', () => {
  const decision = (over: object) => aDecision(over) as Decision

  expect(() => assertPassed(decision({}))).not.toThrow()
  expect(() => assertPassed(decision({ decision: 'DECLINED' }))).toThrow(/DECLINED/)
  expect(() => assertPassed(decision({ decision: null }))).toThrow(/pending/)
})

// 2.7, workflows

statements(
  '2.7',
  [
    ['id', 'wf_9'],
    ['name', 'Adults'],
    ['features', ['age', 'location']],
  ],
  (field) => `a workflow has ${field}`,
  async (field, value) => {
    const workflow = aWorkflow({ [field]: value })

    expect(await received('experimental.workflows.retrieve', workflow)).toEqual(workflow)
  },
)

statements(
  '2.7',
  [['id_verification'], ['liveness'], ['face_match'], ['age'], ['credential'], ['location']],
  (feature) => `${feature} may be a feature of a workflow`,
  async (feature) => {
    const { post, session } = inProcess()
    const { data } = await post<{ id: string }>('/api/v2/workflows', { name: 'One', features: [feature] })

    expect((await session({ workflow_id: data.id })).features).toEqual([feature])
  },
)

statement('2.7', 'other fields of a workflow are not shown, so they are kept', async () => {
  const workflow = aWorkflow({ threshold: 3 })

  expect(await received('experimental.workflows.retrieve', workflow)).toEqual(workflow)
})

// 3.1, states and transitions

statements(
  '3.1',
  allStatuses.map((status) => [status] as const),
  (status) => `${status} is a status of a session`,
  async (status) => {
    const { id, statusOf } = await hosted(status)

    expect(await received('sessions.retrieve', aSession({ status }))).toEqual(aSession({ status }))
    expect(await statusOf(id)).toBe(status)
  },
)

statement('3.1', 'a new session is NOT_STARTED', async () => {
  expect((await inProcess().session()).status).toBe('NOT_STARTED')
})

statement('3.1', 'a session becomes IN_PROGRESS when the person works through the hosted page', async () => {
  const { raw, session, statusOf } = inProcess()
  const { session_id, url } = await session()

  await raw('GET', url)

  expect(await statusOf(session_id)).toBe('IN_PROGRESS')
})

statement('3.1', 'a session in progress goes to IN_REVIEW with verification.in_review', async () => {
  const { emulator, id, statusOf, types } = await hosted('IN_PROGRESS')

  await emulator.sessions.complete(id, 'IN_REVIEW')

  expect(await statusOf(id)).toBe('IN_REVIEW')
  expect(await types()).toEqual(['verification.in_review'])
})

statements(
  '3.1',
  (['IN_PROGRESS', 'IN_REVIEW'] as const).flatMap((from) =>
    verdicts.map(
      (to) => [from, to, to === 'APPROVED' ? 'verification.approved' : 'verification.declined'] as const,
    ),
  ),
  (from, to, type) => `an automated outcome moves a session from ${from} to ${to} and sends ${type}`,
  async (from, to, type) => {
    const { emulator, id, statusOf, types } = await hosted(from)

    await emulator.sessions.complete(id, to)

    expect(await statusOf(id)).toBe(to)
    expect((await types()).at(-1)).toBe(type)
  },
)

/** The face checks of a session that was not started have not run, so only a started one can be approved. */
const overrides = [
  ['NOT_STARTED', 'DECLINED'],
  ['IN_PROGRESS', 'APPROVED'],
  ['IN_PROGRESS', 'DECLINED'],
  ['IN_REVIEW', 'APPROVED'],
  ['IN_REVIEW', 'DECLINED'],
] as const

statements(
  '3.1',
  overrides,
  (from, to) => `an override moves a session from ${from} to ${to}`,
  async (from, to) => {
    const { decide, id } = await hosted(from)

    expect(await decide(id, to)).toMatchObject({ status: 200, data: { status: to } })
  },
)

statements(
  '3.1',
  overrides,
  (from, to) => `an override of ${from} with ${to} is recorded in the decision`,
  async (from, to) => {
    const { decide, decisionOf, id } = await hosted(from)
    await decide(id, to)

    expect(await decisionOf(id)).toMatchObject({ status: to, decision: to, decided_at: expect.any(String) })
  },
)

statements(
  '3.1',
  overrides,
  (from, to) => `an override of ${from} with ${to} is delivered to the webhook`,
  async (from, to) => {
    const { decide, id, types } = await hosted(from)
    await decide(id, to)

    expect((await types()).at(-1)).toBe(to === 'APPROVED' ? 'verification.approved' : 'verification.declined')
  },
)

statement('3.1', 'an override cannot be reversed', async () => {
  const { decide, id, statusOf } = await hosted('IN_REVIEW')
  await decide(id, 'DECLINED')

  expect(await decide(id, 'APPROVED')).toMatchObject({ status: 409, error: { code: 'already_decided' } })
  expect(await statusOf(id)).toBe('DECLINED')
})

statement('3.1', 'an overridden session accepts no further checks', async () => {
  const { decide, decisionOf, emulator, id } = await hosted('IN_PROGRESS')
  await decide(id, 'DECLINED')
  const before = await decisionOf(id)

  expect(() => emulator.sessions.start(id, { checks: { liveness: 'failed' } })).toThrow()
  expect(await decisionOf(id)).toEqual(before)
})

statements(
  '3.1',
  verdicts.flatMap((current) => verdicts.map((wanted) => [current, wanted] as const)),
  (current, wanted) => `an override of ${current} with ${wanted} is 409 already_decided and changes nothing`,
  async (current, wanted) => {
    const { decide, id, statusOf } = await hosted(current)

    expect(await decide(id, wanted)).toMatchObject({ status: 409, error: { code: 'already_decided' } })
    expect(await statusOf(id)).toBe(current)
  },
)

statements(
  '3.1',
  openStatuses.map((from) => [from] as const),
  (from) => `a session that is ${from} can be ABANDONED, with verification.abandoned`,
  async (from) => {
    const { emulator, id, statusOf, types } = await hosted(from)

    await emulator.sessions.complete(id, 'ABANDONED')

    expect(await statusOf(id)).toBe('ABANDONED')
    expect((await types()).at(-1)).toBe('verification.abandoned')
  },
)

statements(
  '3.1',
  openStatuses.map((from) => [from] as const),
  (from) => `a session that is ${from} can become EXPIRED, with verification.expired`,
  async (from) => {
    const { emulator, id, statusOf, types } = await hosted(from)

    await emulator.sessions.complete(id, 'EXPIRED')

    expect(await statusOf(id)).toBe('EXPIRED')
    expect((await types()).at(-1)).toBe('verification.expired')
  },
)

statements(
  '3.1',
  (['APPROVED', 'DECLINED', 'ABANDONED'] as const).map((from) => [from] as const),
  (from) => `by the other reading, a session that is ${from} can become EXPIRED too`,
  async (from) => {
    const emulated = inProcess({ readings: { expiry: 'any_status' } })
    const id = await sessionAt(emulated, from)

    await emulated.emulator.sessions.complete(id, 'EXPIRED')

    expect(await emulated.statusOf(id)).toBe('EXPIRED')
  },
)

statement('3.1', 'a status that is not in the list is an error that lists the known ones', async () => {
  const { emulator, id } = await hosted('IN_PROGRESS')

  const error = await thrownBy((async () => emulator.sessions.complete(id, 'SUSPENDED' as never))())

  for (const status of ['IN_REVIEW', 'APPROVED', 'DECLINED', 'ABANDONED', 'EXPIRED'])
    expect(String(error)).toContain(status)
})

statements(
  '3.1',
  [['id_verification'], ['liveness'], ['face_match']] as const,
  (type) => `an approval override without a passed ${type} check is 409 required_face_checks_incomplete`,
  async (type) => {
    const { decide, emulator, session, statusOf } = inProcess()
    const { session_id } = await session()
    await emulator.sessions.complete(session_id, 'IN_REVIEW', { checks: { [type]: 'failed' } })

    expect(await decide(session_id, 'APPROVED')).toMatchObject({
      status: 409,
      error: { code: 'required_face_checks_incomplete' },
    })
    expect(await statusOf(session_id)).toBe('IN_REVIEW')
  },
)

statement('3.1', 'an approval override of a session that was not started lacks its face checks', async () => {
  const { decide, id } = await hosted('NOT_STARTED')

  expect(await decide(id, 'APPROVED')).toMatchObject({
    status: 409,
    error: { code: 'required_face_checks_incomplete' },
  })
})

statements(
  '3.1',
  (['NOT_STARTED', 'IN_PROGRESS'] as const).map((from) => [from] as const),
  (from) => `by the other reading, an override of ${from} is 409 review_not_pending`,
  async (from) => {
    const emulated = inProcess({ readings: { overrides: 'in_review_only' } })
    const id = await sessionAt(emulated, from)

    expect(await emulated.decide(id, 'DECLINED')).toMatchObject({
      status: 409,
      error: { code: 'review_not_pending' },
    })
  },
)

statement('3.1', 'by the other reading, an override of IN_REVIEW succeeds', async () => {
  const emulated = inProcess({ readings: { overrides: 'in_review_only' } })
  const id = await sessionAt(emulated, 'IN_REVIEW')

  expect((await emulated.decide(id, 'DECLINED')).status).toBe(200)
})

statement('3.1', 'a closed session rejects an override with 409 session_closed', async () => {
  const { decide, id } = await hosted('ABANDONED')

  expect(await decide(id, 'DECLINED')).toMatchObject({ status: 409, error: { code: 'session_closed' } })
})

statement('3.1', 'an expired session rejects an override with 410 session_expired', async () => {
  const { decide, id } = await hosted('EXPIRED')

  expect(await decide(id, 'DECLINED')).toMatchObject({ status: 410, error: { code: 'session_expired' } })
})

statements(
  '3.1',
  [
    [409, 'already_decided', 'ConflictError'],
    [409, 'required_face_checks_incomplete', 'ConflictError'],
    [409, 'review_not_pending', 'ConflictError'],
    [409, 'session_closed', 'ConflictError'],
    [410, 'session_expired', 'GoneError'],
  ],
  (status, code, name) => `${status} ${code} of an override is thrown as a ${name}`,
  async (status, code, name) => {
    expect(await failed('sessions.updateStatus', status, code)).toMatchObject({ status, code, name })
  },
)

// 4.1, endpoints

statements(
  '4.1',
  [
    ['sessions.create', 'POST', '/api/v2/session', aSession()],
    ['sessions.list', 'GET', '/api/v2/session', [aSession()]],
    ['sessions.retrieve', 'GET', '/api/v2/session/sess_1', aSession()],
    ['sessions.decision', 'GET', '/api/v2/session/sess_1/decision', aDecision()],
    ['sessions.updateStatus', 'PATCH', '/api/v2/session/sess_1/status', aSession()],
  ] as const,
  (name, method, path) => `${name} is ${method} ${path}`,
  async (name, method, path, data) => {
    await received(name, data)

    expect(service.lines).toEqual([`${method} ${path}`])
  },
)

statements(
  '4.1',
  [
    ['sessions.create', 400, 'validation_error', 'BadRequestError'],
    ['sessions.create', 401, 'invalid_api_key', 'AuthenticationError'],
    ['sessions.retrieve', 404, 'not_found', 'NotFoundError'],
    ['sessions.decision', 404, 'not_found', 'NotFoundError'],
    ['sessions.updateStatus', 404, 'not_found', 'NotFoundError'],
  ],
  (name, status, code, error) => `${name} throws ${status} ${code} as a ${error}`,
  async (name, status, code, error) => {
    expect(await failed(name, status, code)).toMatchObject({ status, code, name: error })
  },
)

statements(
  '4.1',
  [
    ['POST', '/api/v2/session', '{"ttl_seconds":"long"}', {}, 400, 'validation_error'],
    ['POST', '/api/v2/session', '{}', { 'X-API-Key': 'wrong' }, 401, 'invalid_api_key'],
    ['GET', '/api/v2/session/sess_none', undefined, {}, 404, 'not_found'],
    ['GET', '/api/v2/session/sess_none/decision', undefined, {}, 404, 'not_found'],
    ['PATCH', '/api/v2/session/sess_none/status', '{"status":"DECLINED"}', {}, 404, 'not_found'],
  ] as const,
  (method, path, _, __, status, code) => `the emulator returns ${status} ${code} for ${method} ${path}`,
  async (method, path, body, headers, status, code) => {
    const json = { 'Content-Type': 'application/json', ...headers }
    const response = await inProcess().call(method, path, { body, headers: json })

    expect(response).toMatchObject({ status, error: { code } })
  },
)

statement('4.1', 'the list is an array of sessions', async () => {
  const sessions = [aSession(), aSession({ session_id: 'sess_2' })]

  expect(await received('sessions.list', sessions)).toEqual(sessions)
  expect(await rejected('sessions.list', { items: sessions })).toMatchObject({ code: 'invalid_response' })
})

statements(
  '4.1',
  [
    ['status', 'IN_REVIEW'],
    ['vendor_data', 'user 42 & co+ü'],
    ['limit', 20],
  ] as const,
  (name) => `the list is filtered by the query parameter ${name}`,
  async (name, value) => {
    service.respondTo('GET /api/v2/session', ok([]))

    const { url } = await sent(({ client }) => client.sessions.list({ [name]: value }))

    expect([...new URL(url).searchParams]).toEqual([[name, String(value)]])
  },
)

statements(
  '4.1',
  [
    ['?status=DECLINED', 1],
    ['?vendor_data=b', 2],
    ['?limit=2', 2],
  ] as const,
  (query, count) => `the emulator lists ${count} of three sessions for ${query}`,
  async (query, count) => {
    const { emulator, get, session } = inProcess()
    await session({ vendor_data: 'a' })
    await session({ vendor_data: 'b' })
    const { session_id } = await session({ vendor_data: 'b' })
    await emulator.sessions.complete(session_id, 'DECLINED')

    expect((await get(`/api/v2/session${query}`)).data).toHaveLength(count)
  },
)

statement('4.1', 'the pagination is not shown, so one call sends one request and no cursor', async () => {
  service.respondTo('GET /api/v2/session', ok([aSession()]))

  const { url } = await sent(({ client }) => client.sessions.list())

  expect(new URL(url).search).toBe('')
  expect(service.requests).toHaveLength(1)
})

statements(
  '4.1',
  verdicts.map((verdict) => [verdict] as const),
  (verdict) => `an override sends the status ${verdict} and nothing else`,
  async (verdict) => {
    service.respondTo('PATCH /api/v2/session/sess_1/status', ok(aSession({ status: verdict })))

    const request = await sent(({ client }) => client.sessions.updateStatus('sess_1', { status: verdict }))

    expect(await request.json()).toEqual({ status: verdict })
  },
)

statement('4.1', 'an override requires a status, which is APPROVED or DECLINED', async () => {
  const { client } = strictClients()

  for (const status of [undefined, 'IN_REVIEW', 'approved'])
    expect(await thrownBy(client.sessions.updateStatus('sess_1', { status } as never))).toMatchObject({
      code: 'invalid_params',
      issues: [{ path: 'status' }],
    })
  expectTypeOf<SessionStatusUpdate['status']>().toEqualTypeOf<'APPROVED' | 'DECLINED'>()
})

statement('4.1', 'an override returns the updated session', async () => {
  const session = aSession({ status: 'DECLINED' })

  expect(await received('sessions.updateStatus', session)).toEqual(session)
})

statement('4.1', 'the error already_decided has code, message and the current status', async () => {
  const { decide, id } = await hosted('DECLINED')

  const { error } = await decide(id, 'APPROVED')

  expect(error).toEqual({ code: 'already_decided', message: expect.any(String), status: 'DECLINED' })
})

statement('4.1', 'a caller reads the current status of already_decided in details.status', async () => {
  service.respondTo(
    'PATCH /api/v2/session/sess_1/status',
    errorResponse(409, 'already_decided', { status: 'APPROVED' }),
  )

  const error = await thrownBy(strictClients().client.sessions.updateStatus('sess_1', { status: 'DECLINED' }))

  if (!isErrorCode(error, 'already_decided')) throw error
  expect(error.details.status).toBe('APPROVED')
  expectTypeOf(error.details.status).not.toBeUnknown()
  expect((error as ConflictError).message).toContain('already_decided')
})

statement('4.1', 'every holder of the API key may override, without another credential', async () => {
  const { id, raw } = await hosted('IN_REVIEW')

  const { status } = await raw('PATCH', `/api/v2/session/${id}/status`, {
    headers: { 'X-API-Key': 'key_1' },
    json: { status: 'DECLINED' },
  })

  expect(status).toBe(200)
})

statement(
  '4.1',
  'waiting for an outcome polls the session, and reads the outcome from the decision',
  async () => {
    service.respondTo(
      'GET /api/v2/session/sess_1',
      ok(aSession({ status: 'IN_PROGRESS' })),
      ok(aSession({ status: 'APPROVED' })),
    )
    service.respondTo('GET /api/v2/session/sess_1/decision', ok(aDecision()))

    const decision = await strictClients().client.sessions.waitForDecision('sess_1')

    expect(decision).toEqual(aDecision())
    expect(service.lines.at(-1)).toBe('GET /api/v2/session/sess_1/decision')
  },
)

// 4.2, workflows

statements(
  '4.2',
  [
    ['experimental.workflows.create', 'POST', '/api/v2/workflows', aWorkflow()],
    ['experimental.workflows.list', 'GET', '/api/v2/workflows', [aWorkflow()]],
    ['experimental.workflows.retrieve', 'GET', '/api/v2/workflows/wf_1', aWorkflow()],
    ['experimental.workflows.update', 'PATCH', '/api/v2/workflows/wf_1', aWorkflow()],
    ['experimental.workflows.delete', 'DELETE', '/api/v2/workflows/wf_1', null],
  ],
  (name, method, path) => `${name} uses the inferred ${method} ${path}`,
  async (name, method, path, data) => {
    await received(name, data)

    expect(service.lines).toEqual([`${method} ${path}`])
  },
)

statement('4.2', 'the payloads of workflows are not shown, so any object is sent', async () => {
  service.respondTo('POST /api/v2/workflows', ok(aWorkflow()))
  const body = { name: 'Any', checks: [{ kind: 'age' }] }

  const request = await sent(({ client }) => client.experimental.workflows.create(body))

  expect(await request.json()).toEqual(body)
})

statement(
  '4.2',
  'the payloads of workflows are not shown, so any fields are accepted in strict mode',
  async () => {
    const workflow = { id: 7, title: 'Any' }

    service.respondTo('GET /api/v2/workflows/wf_1', ok(workflow))
    expect(await strictClients().client.experimental.workflows.retrieve('wf_1')).toEqual(workflow)
  },
)

statements(
  '4.2',
  [
    ['POST', '/api/v2/session', { workflow_id: 'wf_foreign' }],
    ['GET', '/api/v2/workflows/wf_foreign', undefined],
    ['PATCH', '/api/v2/workflows/wf_foreign', { name: 'x' }],
    ['DELETE', '/api/v2/workflows/wf_foreign', undefined],
  ] as const,
  (method, path) => `an unknown or foreign workflow is 404 workflow_not_found: ${method} ${path}`,
  async (method, path, json) => {
    expect(await inProcess().call(method, path, { json })).toMatchObject({
      status: 404,
      error: { code: 'workflow_not_found' },
    })
  },
)

statements(
  '4.2',
  [
    ['sessions.create'],
    ['experimental.workflows.retrieve'],
    ['experimental.workflows.update'],
    ['experimental.workflows.delete'],
  ],
  (name) => `${name} throws workflow_not_found as a NotFoundError`,
  async (name) => {
    expect(await failed(name, 404, 'workflow_not_found')).toMatchObject({ name: 'NotFoundError' })
  },
)
