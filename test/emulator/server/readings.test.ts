import { expect, it } from 'vitest'
import { createEmulator, type EmulatorReadings } from '../../../src/emulator.ts'
import { ConfigurationError } from '../../../src/errors.ts'
import { type CheckResult, holder, nurse } from '../support/checks.ts'
import { form, photo } from '../support/images.ts'
import { type Check, inProcess, later } from '../support/service.ts'
import { sessionAt } from '../support/session-at.ts'
import { signInAt } from '../support/sign-in.ts'
import { destination } from '../support/webhook-receivers.ts'

// One option selects each reading of the contract where it states two. The readings overrides, activationLinks and
// inviteLimit are tested with the sessions and the roster.

const unknown = { ...nurse, license_number: 'RN-0' }

/** Looks up a licence that does not exist: by a search, for a person, for an account, and for the person on an ID. */
async function lookups(licenseNotFound: EmulatorReadings['licenseNotFound']) {
  const { call, post } = inProcess({ readings: { licenseNotFound } })
  const path = '/api/v2/credential-verification'
  return [
    await post<CheckResult>(path, unknown),
    await post<CheckResult>(path, { ...unknown, full_name: holder }),
    await post<CheckResult>(path, { ...unknown, svc_access_token: 'token' }),
    await call<{ checks: readonly Check[] }>('POST', '/api/v2/kyc-credential', {
      body: form({ front_image: photo, selfie: photo, ...unknown }),
    }),
  ]
}

it.each([
  [undefined, [200, 404, 404, 400]],
  ['by_endpoint', [200, 404, 404, 400]],
  [400, [400, 400, 400, 400]],
  [404, [404, 404, 404, 404]],
  ['found_false', [200, 200, 200, 200]],
] as const)('licenseNotFound %s: a missing licence has the statuses %j', async (reading, statuses) => {
  const responses = await lookups(reading)

  expect(responses.map(({ status }) => status)).toEqual(statuses)
  for (const { status, error } of responses)
    expect(error?.code).toBe(status === 200 ? undefined : 'license_not_found')
})

it('licenseNotFound found_false: the check fails, and no one is matched', async () => {
  const [search, verify, account, combined] = await lookups('found_false')
  const failed = (data: object) => ({ type: 'credential', status: 'failed', data })

  expect(search?.data).toMatchObject({ check: failed({ mode: 'search', found: false, match: null }) })
  expect(verify?.data).toMatchObject({ check: failed({ mode: 'verify', found: false, match: false }) })
  expect(account?.data).toMatchObject({ check: failed({ mode: 'account', found: false, match: false }) })
  expect(combined?.data).toMatchObject({
    status: 'failed',
    checks: [{}, {}, {}, failed({ mode: 'verify', found: false, match: false })],
  })
})

it.each([undefined, 400, 401] as const)(
  'invalidGrant %s: an unknown code and an unknown refresh token have this status',
  async (invalidGrant) => {
    const { exchange, refresh } = signInAt(inProcess({ readings: { invalidGrant } }))

    for (const { status, body } of [await exchange('code_0'), await refresh('rt_0')])
      expect([status, body.error]).toEqual([invalidGrant ?? 400, 'invalid_grant'])
  },
)

it.each([
  [undefined, 403, 'unauthorized_client'],
  [403, 403, 'unauthorized_client'],
  [401, 401, 'invalid_client'],
] as const)(
  'inactiveApp %s: the token endpoint and the authorization page respond with %s %s',
  async (inactiveApp, expected, code) => {
    const service = signInAt(inProcess({ oidc: { active: false }, readings: { inactiveApp } }))

    const { status, body } = await service.exchange('code_0')
    const page = await service.raw('GET', service.authorizationUrl())

    expect([status, body.error]).toEqual([expected, code])
    expect(page.status).toBe(expected)
    expect(page.text).toContain(code)
  },
)

it('tokenErrors enveloped: errors of the token endpoint are in the envelope, and tokens are not', async () => {
  const service = signInAt(inProcess({ readings: { tokenErrors: 'enveloped' } }))

  const { status, headers, body } = await service.exchange('code_0')

  expect(status).toBe(400)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(body).toEqual({
    success: false,
    data: null,
    error: { code: 'invalid_grant', message: expect.any(String) },
  })
  expect(await service.tokensFor()).toMatchObject({ token_type: 'Bearer' })
})

it.each(['NOT_STARTED', 'IN_PROGRESS', 'IN_REVIEW', 'APPROVED', 'DECLINED', 'ABANDONED'] as const)(
  'expiry any_status: a session that is %s expires after its lifetime, once, and keeps its decision',
  async (status) => {
    const { received, url } = await destination()
    const service = inProcess({ readings: { expiry: 'any_status' } })
    const id = await sessionAt(service, status, { ttl_seconds: 60, callback: url })
    const before = await service.decisionOf(id)
    received.length = 0

    await service.emulator.clock.advance(59_999)
    expect(await service.statusOf(id)).toBe(status)
    await service.emulator.clock.advance(1)
    await service.emulator.clock.advance(60_000)

    expect(await service.decisionOf(id)).toEqual({ ...before, status: 'EXPIRED' })
    expect(received.map(({ body }) => JSON.parse(String(body)).type)).toEqual(['verification.expired'])
    expect((await service.decide(id, 'APPROVED')).error?.code).toBe('session_expired')
  },
)

it.each(['EXPIRED', 'ABANDONED'] as const)(
  'expiry any_status: sessions.complete gives an approved session the status %s, and no other one',
  async (end) => {
    const service = inProcess({ readings: { expiry: 'any_status' } })
    const id = await sessionAt(service, 'APPROVED')

    await service.emulator.sessions.complete(id, end)

    expect(await service.decisionOf(id)).toMatchObject({ status: end, decision: 'APPROVED' })
    await expect(service.emulator.sessions.complete(id, 'DECLINED')).rejects.toThrow('has ended')
    await expect(service.emulator.sessions.complete(id, end)).rejects.toThrow(`already ${end}`)
  },
)

it('expiry unfinished: a decided session does not expire', async () => {
  let now = later(0)
  const service = inProcess({ clock: () => now, readings: { expiry: 'unfinished' } })
  const id = await sessionAt(service, 'APPROVED', { ttl_seconds: 60 })

  now = later(61)

  expect(await service.statusOf(id)).toBe('APPROVED')
})

it.each([
  [
    { licenseNotFound: 403 },
    'readings.licenseNotFound: 403 is not one of by_endpoint, 400, 404, found_false',
  ],
  [{ overrides: 'all' }, 'readings.overrides: "all" is not one of any_open, in_review_only'],
  [{ license_not_found: 404 }, 'readings: license_not_found is not an option. Did you mean licenseNotFound?'],
])('an unknown reading is rejected with the known ones: %j', (readings, message) => {
  const create = () => createEmulator({ readings: readings as EmulatorReadings })

  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(message)
})
