// Misspelled on purpose: cspell:ignore APROVED livenes

import { expect, it } from 'vitest'
import * as z from 'zod'
import { createEmulator, type Emulator, EmulatorError } from '../../../src/emulator.ts'

/** As a program without our types reads it. */
type Json = ReturnType<typeof JSON.parse>

const origin = 'http://127.0.0.1:4010'

async function call(emulator: Emulator, method: string, path: string, body?: object) {
  const response = await emulator.at(origin)(`${origin}/_emulator/api${path}`, {
    method,
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, data: text === '' ? undefined : (JSON.parse(text) as Json) }
}

/** Values of each type of JSON. */
const samples = ['text', '', 5, -1, 0.5, true, null, [], ['passed'], { name: 1 }]

const isValid = (schema: Json, value: unknown) => z.fromJSONSchema(schema).safeParse(value).success

/** A value that a field accepts. */
const validFor = (schema: Json) =>
  schema.enum?.[0] ?? schema.anyOf?.[0].enum?.[0] ?? samples.find((one) => isValid(schema, one))

it('every control rejects what its documentation does not allow, and names the field', async () => {
  const emulator = createEmulator()
  const { data: document } = await call(emulator, 'GET', '/openapi.json')
  const wrong: string[] = []
  let values = 0
  for (const [template, { post }] of Object.entries<Json>(document.paths)) {
    if (post === undefined) continue
    const { properties = {}, required = [] } = post.requestBody?.content['application/json'].schema ?? {}
    const fields = Object.entries<Json>(properties)
    const valid = Object.fromEntries(
      fields.filter(([name]) => required.includes(name)).map(([name, schema]) => [name, validFor(schema)]),
    )
    const rejects = async (name: string, body: object) => {
      values += 1
      const { status, data } = await call(emulator, 'POST', template.replace('{id}', 'id_1'), body)
      const reason = new RegExp(`: ${name}(\\.\\S+)? (must be|is)`)
      if (status !== 400 || !reason.test(data.error.message))
        wrong.push(`${template} ${JSON.stringify(body)}: ${status} ${JSON.stringify(data)}`)
    }
    await rejects('unknown', { ...valid, unknown: 1 })
    for (const name of required) await rejects(name, { ...valid, [name]: undefined })
    // The parts of a snapshot are checked together.
    if (template === '/restore') continue
    for (const [name, schema] of fields)
      for (const value of samples)
        if (!isValid(schema, value)) await rejects(name, { ...valid, [name]: value })
  }

  expect(wrong).toEqual([])
  expect(values).toBeGreaterThan(150)
})

const statuses = 'pending, running, passed, failed, review'
const ends = 'IN_REVIEW, APPROVED, DECLINED, ABANDONED, EXPIRED'
const events =
  'verification.approved, verification.declined, verification.in_review, verification.abandoned, verification.expired'
const outcome = `must be one of ${statuses}, or an object`
const times = 'must be a positive whole number, or Infinity'
const status = 'must be a whole number from 400 to 599'

it.each<[message: string, act: (emulator: Emulator) => unknown, path: string, body: object]>([
  ...['APROVED', 'approved', 'NOT_STARTED', 'toString'].map(
    (end): [string, (emulator: Emulator) => unknown, string, object] => [
      `sessions.complete: status must be one of ${ends}`,
      ({ sessions }) => sessions.complete('sess_1', end as never),
      '/sessions/sess_1/complete',
      { status: end },
    ],
  ),
  [
    `sessions.complete: checks.liveness ${outcome}`,
    ({ sessions }) => sessions.complete('sess_1', 'DECLINED', { checks: { liveness: 'fail' as never } }),
    '/sessions/sess_1/complete',
    { status: 'DECLINED', checks: { liveness: 'fail' } },
  ],
  [
    'sessions.start: checks.livenes is not an option. Did you mean liveness?',
    ({ sessions }) => sessions.start('sess_1', { checks: { livenes: 'failed' } as object }),
    '/sessions/sess_1/start',
    { checks: { livenes: 'failed' } },
  ],
  [
    'checks.script: type must be one of id_verification, liveness, face_match, age, credential, location',
    ({ checks }) => checks.script('face' as never, 'failed'),
    '/checks',
    { type: 'face', outcome: 'failed' },
  ],
  [
    `checks.script: outcome ${outcome}`,
    ({ checks }) => checks.script('liveness', 'fail' as never),
    '/checks',
    { type: 'liveness', outcome: 'fail' },
  ],
  [
    `checks.script: outcome.status must be one of ${statuses}`,
    ({ checks }) => checks.script('liveness', { status: 'fail' as never }),
    '/checks',
    { type: 'liveness', outcome: { status: 'fail' } },
  ],
  [
    `checks.script: times ${times}`,
    ({ checks }) => checks.script('liveness', 'failed', { times: 0 }),
    '/checks',
    { type: 'liveness', outcome: 'failed', times: 0 },
  ],
  [
    `faults.add: status ${status}`,
    ({ faults }) => faults.add({ match: 'checks.age', status: 200 }),
    '/faults',
    { match: 'checks.age', status: 200 },
  ],
  [`faults.add: status ${status}`, ({ faults }) => faults.add({ status: 600 }), '/faults', { status: 600 }],
  [
    `faults.add: times ${times}`,
    ({ faults }) => faults.add({ status: 500, times: 0.5 }),
    '/faults',
    { status: 500, times: 0.5 },
  ],
  [
    'faults.add: malformed must be one of true, not_json, truncated, empty, wrong_shape',
    ({ faults }) => faults.add({ malformed: 'odd' as 'empty' }),
    '/faults',
    { malformed: 'odd' },
  ],
  [
    'faults.add: headers must be an object of valid names and values',
    ({ faults }) => faults.add({ status: 500, headers: { 'a b': 'c' } }),
    '/faults',
    { status: 500, headers: { 'a b': 'c' } },
  ],
  [
    'faults.add: delayMs must be a number, 0 or more',
    ({ faults }) => faults.add({ delayMs: -1 }),
    '/faults',
    { delayMs: -1 },
  ],
  [
    'webhooks.faults.add: kind must be one of duplicate, late, bad_signature, out_of_order, lost',
    ({ webhooks }) => webhooks.faults.add({ kind: 'toString' as 'late' }),
    '/webhooks/faults',
    { kind: 'toString' },
  ],
  [
    `webhooks.faults.add: type must be one of ${events}`,
    ({ webhooks }) => webhooks.faults.add({ kind: 'late', type: 'verification.unknown' as never }),
    '/webhooks/faults',
    { kind: 'late', type: 'verification.unknown' },
  ],
  [
    `webhooks.sendTest: type must be one of ${events}`,
    ({ webhooks }) => webhooks.sendTest('verification.paused' as never),
    '/webhooks/test',
    { type: 'verification.paused' },
  ],
  [
    'clock.advance: ms must be a number, 0 or more',
    ({ clock }) => clock.advance(-1),
    '/clock/advance',
    { ms: -1 },
  ],
  [
    'clock.advance: the time must not be later than the year 9000',
    ({ clock }) => clock.advance(9e15),
    '/clock/advance',
    { ms: 9e15 },
  ],
])('in process and over HTTP, the same is wrong: %s', async (message, act, path, body) => {
  const emulator = createEmulator({ webhooks: { destinations: ['https://a.example/hook'] } })
  const before = await emulator.snapshot()

  const error = await Promise.resolve(emulator)
    .then(act)
    .catch((thrown: unknown) => thrown)

  expect(error).toEqual(new EmulatorError({ message }))
  expect(await call(emulator, 'POST', path, body)).toEqual({ status: 400, data: { error: { message } } })
  expect((await emulator.snapshot()).state).toEqual(before.state)
})

it.each([Number.NaN, Number.POSITIVE_INFINITY, '5'])('a number must be finite: %o', (value) => {
  const { clock, webhooks } = createEmulator()

  expect(() => clock.advance(value as never)).toThrow('clock.advance: ms must be a finite number')
  expect(() => webhooks.faults.add({ kind: 'late', ageSeconds: value as never })).toThrow(
    'webhooks.faults.add: ageSeconds must be a finite number',
  )
})
