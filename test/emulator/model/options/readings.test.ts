import { expect, it } from 'vitest'
import { createEmulator, type EmulatorReadings } from '../../../../src/emulator.ts'
import { ConfigurationError } from '../../../../src/index.ts'
import { holder, nurse } from '../../support/checks.ts'
import { inProcess, later } from '../../support/service.ts'
import { sessionAt } from '../../support/session-at.ts'
import { signInAt } from '../../support/sign-in.ts'
import { destination } from '../../support/webhook-receivers.ts'

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

it.each([400, 404] as const)('licenseNotFound %i is the status of license_not_found', async (licenseNotFound) => {
  const { post } = inProcess({ readings: { licenseNotFound } })

  const { error, status } = await post('/api/v2/credential-verification', {
    ...nurse,
    license_number: 'RN-0',
  })

  expect([status, error?.code]).toEqual([licenseNotFound, 'license_not_found'])
})

it('licenseNotFound found_false is a failed result without a license', async () => {
  const { post } = inProcess({ readings: { licenseNotFound: 'found_false' } })
  const unknown = { ...nurse, license_number: 'RN-0', full_name: holder }

  expect(await post('/api/v2/credential-verification', unknown)).toMatchObject({
    status: 200,
    data: { status: 'failed', check: { data: { found: false } } },
  })
})

it.each([400, 401] as const)('invalidGrant %i is the status of invalid_grant', async (invalidGrant) => {
  const { exchange } = signInAt(inProcess({ readings: { invalidGrant } }))

  expect(await exchange('code_unknown')).toMatchObject({
    status: invalidGrant,
    body: { error: 'invalid_grant' },
  })
})

it('tokenErrors enveloped gives errors of the token endpoint an envelope', async () => {
  const { raw } = inProcess({ readings: { tokenErrors: 'enveloped' } })

  const { text } = await raw('POST', '/api/auth/oidc/token', { json: {} })

  expect(JSON.parse(text)).toMatchObject({ success: false, error: { code: 'invalid_client' } })
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
  [{ licenseNotFound: 403 }, 'readings.licenseNotFound must be one of by_endpoint, 400, 404, found_false'],
  [{ overrides: 'all' }, 'readings.overrides must be one of any_open, in_review_only'],
  [{ license_not_found: 404 }, 'readings.license_not_found is not an option. Did you mean licenseNotFound?'],
])('an unknown reading is rejected with the known ones: %j', (readings, message) => {
  const create = () => createEmulator({ readings: readings as EmulatorReadings })

  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(message)
})
