import { expect, it } from 'vitest'
import { aSession, livenessCheck, standalone } from '../support/fixtures.ts'
import { withPart } from '../support/json-parts.ts'
import { named, operations } from '../support/operations.ts'
import { testOrg } from '../support/org-client.ts'
import { recordingLogger } from '../support/recording-logger.ts'
import { rosterOperations } from '../support/roster-operations.ts'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

// The fields of sections 2.2 to 2.10 of the contract. Those of the `data` of a check are in
// undocumented-leaves.test.ts.

const service = scriptedService()

const described = [...operations, ...rosterOperations]

/** Calls a method whose response has this `data`. Returns the result or the error, with the warnings. */
async function receivedBy(name: string, data: unknown) {
  const { logger, warnings } = recordingLogger()
  const options = { responseValidation: 'strict', logger, maxRetries: 0 } as const
  const { method, path } = described.find((one) => one.name === name) ?? expect.fail(`no operation ${name}`)
  service.respondTo(`${method} ${path}`, ok(data))
  const call =
    operations.find((one) => one.name === name)?.call(testClient(options).client) ??
    rosterOperations.find((one) => one.name === name)?.call(testOrg(options).org)
  return { outcome: await Promise.resolve(call).catch((error: unknown) => error), warnings }
}

it.each(named(described))('returns the documented response of %s in strict mode', async (name, operation) => {
  const { outcome, warnings } = await receivedBy(name, operation.data)

  expect(outcome).toEqual(operation.result === undefined ? operation.data : operation.result)
  expect(warnings).toEqual([])
})

type Type = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'any'

const otherThan: Readonly<Record<Type, unknown>> = {
  string: 7,
  number: 'seven',
  boolean: 'yes',
  array: 'a, b',
  object: 'an object',
  any: { an: 'object' },
}

/** `?` marks a field that may be null or absent, and `|null` one that may only be null. */
type Marked = Type | `${Type}?` | `${Type}|null`

const member: readonly [Marked, string][] = [
  ['number', 'id'],
  ['string', 'member_id email role status created_at'],
  ['string?', 'first_name last_name'],
  ['string|null', 'svc_id'],
  ['boolean', 'active'],
]

const within = (operation: string, place: string, rows: readonly [Marked, string][]) =>
  rows.map(([type, names]): [string, Marked, string] => [
    operation,
    type,
    names.replace(/\w+/g, (name) => `${place}.${name}`),
  ])

/** By operation: the fields of `data`. The contract gives no type for those with `any`, so they are never rejected. */
const table: readonly (readonly [operation: string, type: Marked, fields: string])[] = [
  ['sessions.create', 'string', 'session_id status url session_token expires_at'],
  ['sessions.create', 'string?', 'redirect_url'],
  ['sessions.create', 'array', 'features'],
  ['sessions.create', 'any?', 'vendor_data'],
  ['sessions.list', 'string', '0.session_id'],
  ['sessions.retrieve', 'string', 'session_id'],
  ['sessions.updateStatus', 'string', 'session_id'],
  ['sessions.decision', 'string', 'status'],
  ['sessions.decision', 'string?', 'decision decided_at'],
  ['sessions.decision', 'array?', 'checks'],
  ['sessions.decision', 'any?', 'vendor_data'],
  ['checks.liveness', 'string', 'session_id status check.type check.status'],
  ['checks.liveness', 'object', 'check'],
  ['checks.liveness', 'number?', 'check.score'],
  ['checks.liveness', 'any?', 'check.error'],
  ['checks.kycCredential', 'string', 'session_id status'],
  ['checks.kycCredential', 'object?', 'identity'],
  ['checks.kycCredential', 'string?', 'identity.name identity.dob'],
  ['checks.kycCredential', 'array?', 'checks'],
  ['credentials.listStates', 'array', 'states'],
  ['credentials.listStates', 'string', 'states.0.state_name states.0.state_code'],
  ['credentials.listProviders', 'array', 'providers'],
  ...within('credentials.listProviders', 'providers.0', [
    ['string', 'provider_code provider_display_name credential_code credential_name state_code'],
    ['array', 'required_fields'],
    ['any?', 'remote_code'],
  ]),
  ['experimental.workflows.retrieve', 'any', 'id name features'],
  ['experimental.antispoof.check', 'any?', 'human_score'],
  ['members.list', 'array', 'members'],
  ['members.list', 'any', 'organization'],
  ...within('members.list', 'members.0', member),
  ['members.resolve', 'boolean', 'found'],
  ['members.resolve', 'object', 'member'],
  ['members.add', 'array', 'created skipped'],
  ['members.add', 'any', 'skipped.0'],
  ['members.add', 'boolean', 'notified'],
  ...within('members.add', 'created.0', [
    ...member,
    ['string|null', 'activation_link'],
    ['string', 'invite_method'],
    ['boolean?', 'reactivated'],
  ]),
  ['members.deactivate', 'string', 'member.email'],
  ['members.reactivate', 'string', 'member.email'],
  ['members.invite', 'string', 'activation_link member.email'],
  ['billing.retrieve', 'object|null', 'subscription'],
  ...within('billing.retrieve', 'subscription', [
    ['any', 'plan status'],
    ['number', 'price_per_seat'],
    ['boolean', 'in_trial'],
    ['any?', 'trial_ends_at current_period_end'],
  ]),
  ['billing.retrieve', 'number', 'seats estimated_next_charge balance'],
  ['billing.retrieve', 'string', 'currency'],
  ['billing.retrieve', 'array', 'invoices'],
  ...within('billing.retrieve', 'invoices.0', [
    ['string', 'period'],
    ['number', 'seats amount'],
    ['any', 'created_at'],
  ]),
]

const fields = table.flatMap(([operation, type, names]) => names.split(' ').map((path) => ({ operation, type, path })))

const isRejection = (field: string) => ({
  code: 'invalid_response',
  message: expect.stringContaining(field),
})

it.each(fields)('strict mode accepts $path of $operation as $type only', async ({ operation, type, path }) => {
  const { data } = described.find(({ name }) => name === operation) ?? expect.fail(operation)
  const base = type.replace(/\W.*/, '') as Type
  const isOptional = type.endsWith('?')
  const [field = ''] = path.split('.').slice(-1)

  for (const [value, isAccepted] of [
    [otherThan[base], base === 'any'],
    [null, base === 'any' || isOptional || type.endsWith('|null')],
    [undefined, base === 'any' || isOptional],
  ]) {
    const { outcome, warnings } = await receivedBy(operation, withPart(data, path.split('.'), value))

    if (isOptional && value == null) expect(warnings, String(value)).toEqual([])
    if (isAccepted) expect(outcome, String(value)).not.toBeInstanceOf(Error)
    else expect(outcome, String(value)).toMatchObject(isRejection(field))
  }
})

it.each([null, 'The image is blurred.', { message: 'Blurred.', field: 'front_image' }, undefined])(
  'returns the error of a check without a warning: %j',
  async (error) => {
    const result = standalone(livenessCheck({ status: 'failed', error }))

    const { outcome, warnings } = await receivedBy('checks.liveness', result)

    expect(outcome).toEqual(JSON.parse(JSON.stringify(result)))
    expect(warnings).toEqual([])
  },
)

it.each([
  ['members.list', 'an id that is not an integer', { members: [{ id: 1.5 }] }, 'members.0.id'],
  ['sessions.list', 'sessions in an object', { items: [aSession()] }, 'data'],
])('%s rejects %s in strict mode', async (name, _, data, field) => {
  expect((await receivedBy(name, data)).outcome).toMatchObject(isRejection(field))
})
