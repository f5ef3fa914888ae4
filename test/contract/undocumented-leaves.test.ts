import { expect, it } from 'vitest'
import { createWebhookHandler } from '../../src/webhooks.ts'
import {
  aDecision,
  ageCheck,
  credentialCheck,
  faceMatchCheck,
  idCheck,
  livenessCheck,
  locationCheck,
  standalone,
} from '../support/fixtures.ts'
import { placesIn, withPart } from '../support/json-parts.ts'
import { recordingLogger } from '../support/recording-logger.ts'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'
import { aDelivery, clockAt, secret, signedAt } from '../support/webhook.ts'

const service = scriptedService()
const selfie = 'data:image/png;base64,c2VsZmll'

const modes = ['strict', 'warn', 'off'] as const
const checks = [idCheck, livenessCheck, faceMatchCheck, ageCheck, credentialCheck, locationCheck].map((create) =>
  create(),
)

const unexpected: readonly unknown[] = ['1.0', 7, true, ['a'], { deep: { x: 1 } }]

/** The parts of `data` whose type section 2.3 of the contract gives. */
const documented: Readonly<Record<string, string>> = {
  'id_verification.fields': 'object',
  'id_verification.portrait': 'string',
  'id_verification.dob': 'string',
  'id_verification.authenticity': 'object',
  'id_verification.authenticity.score': 'number',
  'liveness.live_score': 'number',
  'liveness.result': 'string',
  'face_match.similarity': 'number',
  'face_match.threshold': 'number',
  'age.age': 'number',
  'age.dob': 'string',
  // Its members have fields, and an object of another kind lacks them.
  'age.bands': 'a map of bands',
  'age.bands.is_18_plus': 'a band',
  'age.bands.is_18_plus.verified': 'boolean',
  'age.bands.is_18_plus.min_age': 'number',
  'credential.match': 'boolean',
  'credential.license': 'object',
  'location.source': 'string',
  'location.captured_at': 'string',
  'location.match': 'boolean',
}

const typeOf = (value: unknown) => (Array.isArray(value) ? 'list' : typeof value)

/** Each listed check, once for each part of its data and each value in its place. */
const altered = checks.flatMap((check) =>
  placesIn(check.data).flatMap((path) =>
    unexpected.map((value) => ({
      what: `${check.type}: data${path.map((name) => `.${name}`).join('')} ${JSON.stringify(value)}`,
      check: withPart(check, ['data', ...path], value) as typeof check,
      isAsDocumented:
        path.length === 0
          ? typeOf(value) === 'object'
          : [undefined, typeOf(value)].includes(documented[[check.type, ...path].join('.')]),
    })),
  ),
)

it('in strict mode, rejects a decision exactly if data of its checks has another type than documented', async () => {
  expect(altered.filter(({ isAsDocumented }) => !isAsDocumented).length).toBeGreaterThan(80)
  for (const { what, check, isAsDocumented } of altered) {
    const decision = aDecision({ checks: [check] })
    service.respondTo('GET /api/v2/session/sess_1/decision', ok(decision))
    const { client } = testClient({ responseValidation: 'strict' })
    const call = client.sessions.decision('sess_1')

    if (isAsDocumented) expect(await call, what).toEqual(decision)
    else await expect(call, what).rejects.toMatchObject({ code: 'invalid_response' })
  }
})

/** A band is an object, because its result has no other form. */
const neverNull = 'age.bands.is_18_plus'

it('in strict mode, returns any part of the data of a check that is null or absent, without a warning', async () => {
  const { logger, warnings } = recordingLogger()
  const parts = checks.flatMap((check) =>
    placesIn(check.data)
      .filter((path) => path.length > 0 && [check.type, ...path].join('.') !== neverNull)
      .flatMap((path) => {
        const isRequired = path.at(-1) === 'verified'
        return [null, ...(isRequired ? [] : [undefined])].map((value) => ({ check, path, value }))
      }),
  )

  for (const { check, path, value } of parts) {
    const decision = aDecision({ checks: [withPart(check, ['data', ...path], value)] })
    service.respondTo('GET /api/v2/session/sess_1/decision', ok(decision))
    const { client } = testClient({ responseValidation: 'strict', logger })

    const received = await client.sessions.decision('sess_1')

    expect(received, `${check.type} ${path}`).toEqual(JSON.parse(JSON.stringify(decision)))
    expect(warnings, `${check.type} ${path}`).toEqual([])
  }
})

it.each(['warn', 'off'] as const)(
  'returns a decision unchanged for any data of its checks, with responseValidation %s',
  async (responseValidation) => {
    for (const { what, check } of altered) {
      const decision = aDecision({ checks: [check] })
      service.respondTo('GET /api/v2/session/sess_1/decision', ok(decision))
      const { client } = testClient({ responseValidation })

      expect(await client.sessions.decision('sess_1'), what).toEqual(decision)
    }
  },
)

it.each(['warn', 'off'] as const)(
  'returns the result of a standalone check unchanged for any data, with responseValidation %s',
  async (responseValidation) => {
    for (const { what, check } of altered.filter(({ check }) => check.type === 'liveness')) {
      service.respondTo('POST /api/v2/liveness', ok(standalone(check)))
      const { client } = testClient({ responseValidation })

      expect(await client.checks.liveness({ image: selfie }), what).toEqual(standalone(check))
    }
  },
)

it('responds with 200 to a signed webhook for any data of its checks', async () => {
  const seen: unknown[] = []
  const handler = createWebhookHandler({
    secret,
    now: clockAt(signedAt),
    on: { 'verification.approved': (event) => void seen.push(event.decision?.checks?.[0]) },
  })

  for (const [i, { what, check }] of altered.entries()) {
    const event_id = `evt_${i}`
    const result = await handler.handle(await aDelivery({ event_id, decision: aDecision({ checks: [check] }) }))

    expect(result, what).toMatchObject({ status: 200, outcome: 'processed' })
    expect(seen[i], what).toEqual(check)
  }
})

it('responds with 200 to a signed webhook for any type of its other fields', async () => {
  const handler = createWebhookHandler({ secret, now: clockAt(signedAt), onTestEvent: () => {} })
  const fields = ['status', 'vendor_data', 'occurred_at', 'region']
  const ofDecision = ['status', 'decided_at', 'checks', 'reviewer']
  const events = unexpected.flatMap((value) => [
    ...fields.map((name) => ({ [name]: value })),
    ...ofDecision.map((name) => ({ decision: aDecision({ [name]: value }) })),
    { decision: aDecision({ checks: [value] }) },
    { decision: aDecision({ checks: [{ type: value, status: value }] }) },
  ])

  for (const [i, event] of events.entries()) {
    const result = await handler.handle(await aDelivery({ event_id: `evt_${i}`, ...event }))

    expect(result.status, JSON.stringify(event)).toBe(200)
  }
})

it('warns once for an operation, for any number of responses and of unexpected fields', async () => {
  const { logger, warnings } = recordingLogger()
  const { client } = testClient({ logger })
  const data = { license: { specialty: ['a'] }, found: 'yes' }
  const decision = aDecision({ checks: [credentialCheck({ data }), idCheck({ data: { fields: 7 } })] })
  service.respondTo('GET /api/v2/session/sess_1/decision', ok(decision), ok(decision), ok(aDecision({ score: 7 })))

  for (let i = 0; i < 3; i++) await client.sessions.decision('sess_1')

  const operation = 'sessions.decision'
  const fields = ['checks.0.data.found', 'checks.0.data.license.specialty', 'checks.1.data.fields']
  expect(warnings).toEqual([[`${operation}: the response is not as documented`, { operation, fields }]])
})

it.each(modes)(
  'rejects a combined result whose status is not a string, with responseValidation %s',
  async (responseValidation) => {
    service.respondTo('POST /api/v2/kyc-credential', ok({ session_id: 's', status: 7, checks: [] }))
    const { client } = testClient({ responseValidation })
    const license = { license_state: 'CA', license_number: 'A-1', license_type: 'RN' }

    const call = client.checks.kycCredential({ front_image: selfie, selfie, ...license })

    await expect(call).rejects.toMatchObject({ code: 'invalid_response' })
  },
)
