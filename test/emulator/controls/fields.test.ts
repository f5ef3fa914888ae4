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
const samples = ['text', '', 5, -1, 600, 0.5, true, null, [], ['passed'], { name: 1 }]

const isValid = (schema: Json, value: unknown) => z.fromJSONSchema(schema).safeParse(value).success

/** A value that a field accepts. */
const validFor = (schema: Json) =>
  schema.enum?.[0] ?? schema.anyOf?.[0].enum?.[0] ?? samples.find((one) => isValid(schema, one))

/** The in-process controls that take fields, by the path of the same control over HTTP. */
const inProcess: Readonly<Record<string, (emulator: Emulator, body: Json) => unknown>> = {
  '/sessions/{id}/start': ({ sessions }, body) => sessions.start('id_1', body),
  '/sessions/{id}/complete': ({ sessions }, { status, ...options }) => sessions.complete('id_1', status, options),
  '/checks': ({ checks }, { type, outcome, ...options }) => checks.script(type, outcome, options),
  '/faults': ({ faults }, body) => faults.add(body),
  '/webhooks/faults': ({ webhooks }, body) => webhooks.faults.add(body),
  '/webhooks/test': ({ webhooks }, { type }) => webhooks.sendTest(type),
  '/clock/advance': ({ clock }, { ms }) => clock.advance(ms),
  '/sign-in/rotate-keys': ({ signIn }, body) => signIn.rotateKeys(body),
}

/** What is wrong with fields, as the control says over HTTP. In process, it must say the same. */
async function problemOf(emulator: Emulator, path: string, body: Json): Promise<string> {
  const { status, data } = await call(emulator, 'POST', path.replace('{id}', 'id_1'), body)
  expect([path, body, status]).toEqual([path, body, 400])
  const act = inProcess[path]
  // These two take no options, so that code cannot pass an unknown one.
  const isPositional = path === '/webhooks/test' || path === '/clock/advance'
  if (act !== undefined && !(isPositional && 'unknown' in body))
    await expect(Promise.resolve(emulator).then((one) => act(one, body))).rejects.toEqual(
      new EmulatorError({ message: data.error.message }),
    )
  return data.error.message
}

it('in process and over HTTP, every control accepts and rejects what its document says, and names the field', async () => {
  const emulator = createEmulator()
  const { state } = await emulator.snapshot()
  const { data: document } = await call(emulator, 'GET', '/openapi.json')
  let values = 0
  for (const [path, { post }] of Object.entries<Json>(document.paths)) {
    if (post === undefined) continue
    const { properties = {}, required = [] } = post.requestBody?.content['application/json'].schema ?? {}
    const fields = Object.entries<Json>(properties)
    const valid = Object.fromEntries(
      fields.filter(([name]) => required.includes(name)).map(([name, schema]) => [name, validFor(schema)]),
    )
    const rejects = async (name: string, body: object) => {
      values += 1
      expect(await problemOf(emulator, path, body)).toMatch(new RegExp(`: ${name}(\\.\\S+)? (must be|is)`))
    }
    const accepts = async (name: string, body: object) => {
      const { data } = await call(createEmulator(), 'POST', path.replace('{id}', 'id_1'), body)
      expect(data?.error?.message ?? '').not.toMatch(new RegExp(`: ${name}(\\.\\S+)? (must be|is)`))
    }
    await rejects('unknown', { ...valid, unknown: 1 })
    for (const name of required) await rejects(name, { ...valid, [name]: undefined })
    // The parts of a snapshot are checked together.
    if (path === '/restore') continue
    for (const [name, schema] of fields)
      for (const value of samples)
        if (isValid(schema, value)) await accepts(name, { ...valid, [name]: value })
        else await rejects(name, { ...valid, [name]: value })
  }

  expect(values).toBeGreaterThan(150)
  expect((await emulator.snapshot()).state).toEqual(state)
})

const complete = '/sessions/{id}/complete'
const statuses = 'pending, running, passed, failed, review'

it.each([
  [complete, { status: 'APROVED' }, 'status must be one of IN_REVIEW, APPROVED, DECLINED, ABANDONED, EXPIRED'],
  [complete, { status: 'toString' }, 'status must be one of IN_REVIEW, APPROVED,'],
  [complete, { checks: { liveness: 'fail' } }, `checks.liveness must be one of ${statuses}, or an object`],
  [complete, { checks: { livenes: 'failed' } }, 'checks.livenes is not an option. Did you mean liveness?'],
  ['/checks', { type: 'face', outcome: 'failed' }, 'type must be one of id_verification, liveness, face_match'],
  ['/checks', { type: 'age', outcome: { status: 'fail' } }, `outcome.status must be one of ${statuses}`],
  ['/checks', { type: 'age', outcome: 'failed', times: 0 }, 'times must be a positive whole number, or Infinity'],
  ['/faults', { status: 200 }, 'status must be a whole number from 400 to 599'],
  ['/faults', { status: 600 }, 'status must be a whole number from 400 to 599'],
  ['/faults', { malformed: 'odd' }, 'malformed must be one of true, not_json, truncated, empty, wrong_shape'],
  ['/faults', { status: 500, headers: { 'a b': 'c' } }, 'headers must be an object of valid names and values'],
  ['/faults', { delayMs: -1 }, 'delayMs must be a number from 0 to 2147483647'],
  ['/faults', { delayMs: 2_147_483_648 }, 'delayMs must be a number from 0 to 2147483647'],
  ['/webhooks/faults', { kind: 'toString' }, 'kind must be one of duplicate, late, bad_signature,'],
  ['/webhooks/faults', { kind: 'late', times: 0.5 }, 'times must be a positive whole number, or Infinity'],
  ['/webhooks/test', { type: 'verification.paused' }, 'type must be one of verification.approved,'],
  ['/clock/advance', { ms: -1 }, 'ms must be a number, 0 or more'],
  ['/clock/advance', { ms: 1e300 }, 'the time must not be later than the year 9000'],
])('%s rejects %j: %s', async (path, body, problem) => {
  expect(await problemOf(createEmulator(), path, body)).toContain(`: ${problem}`)
})

it.each([Number.NaN, Number.POSITIVE_INFINITY, '5'])('a number must be finite: %o', (value) => {
  const { clock, webhooks } = createEmulator()

  expect(() => clock.advance(value as never)).toThrow('clock.advance: ms must be a finite number')
  expect(() => webhooks.faults.add({ kind: 'late', ageSeconds: value as never })).toThrow(
    'webhooks.faults.add: ageSeconds must be a finite number',
  )
})
