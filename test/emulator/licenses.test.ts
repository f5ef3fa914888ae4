import { expect, it } from 'vitest'
import { emulated, formOf } from './emulated.ts'

const path = '/api/v2/credential-verification'
const nurse = { license_state: 'CA', license_type: 'Registered Nurse', license_number: 'RN-482913' }

const license = {
  license_number: 'RN-482913',
  status: 'active',
  issued_at: '2019-06-01',
  expires_at: '2037-05-31',
  specialty: 'Critical care',
}

it.each([
  ['no name', {}, 'passed', { mode: 'search', found: true, match: null, license }],
  [
    'blank names',
    { first_name: '', last_name: ' ' },
    'passed',
    { mode: 'search', found: true, match: null, license },
  ],
  [
    'the name of the holder',
    { full_name: 'Alex Sample' },
    'passed',
    { mode: 'verify', match: true, license },
  ],
  [
    'the name, other case and spaces',
    { full_name: ' alex  SAMPLE' },
    'passed',
    { mode: 'verify', match: true, license },
  ],
  [
    'first and last name',
    { first_name: 'Alex', last_name: 'Sample' },
    'passed',
    { mode: 'verify', match: true, license },
  ],
  ['another name', { full_name: 'Robin Example' }, 'failed', { mode: 'verify', match: false, license }],
  ['half of the name', { last_name: 'Sample' }, 'failed', { mode: 'verify', match: false, license }],
  [
    'a token, and any name',
    { svc_access_token: 't', full_name: 'Ignored' },
    'passed',
    { mode: 'account', match: true },
  ],
])('looks up a licence: %s', async (_, person, status, data) => {
  const { post } = emulated()

  const reply = await post(path, { ...nurse, ...person })

  expect(reply).toMatchObject({ status: 200, data: { status, check: { type: 'credential', status } } })
  expect((reply.data as { check: { data: unknown } }).check.data).toEqual(data)
})

it('says found: false in a search for a licence that no board knows', async () => {
  const { post } = emulated()

  const { status, data } = await post(path, { ...nurse, license_number: 'RN-0' })

  expect(status).toBe(200)
  expect(data).toMatchObject({
    status: 'failed',
    check: { data: { mode: 'search', found: false, match: null } },
  })
})

it.each([{ full_name: 'Alex Sample' }, { svc_access_token: 'token' }])(
  'answers 404 license_not_found outside a search, and charges nothing: %j',
  async (person) => {
    const { emulator, post } = emulated()

    const reply = await post(path, { ...nurse, license_number: 'RN-0', ...person })

    expect(reply).toMatchObject({ status: 404, error: { code: 'license_not_found' } })
    expect(emulator.ledger).toEqual([])
  },
)

it.each([
  ['the same', {}, true],
  ['the board beside the type', { provider_code: 'EMU-CA-NURSING' }, true],
  ['the board instead of the type', { provider_code: 'EMU-CA-NURSING', license_type: undefined }, true],
  ['lower case for the state', { license_state: 'ca' }, true],
  ['another board', { provider_code: 'EMU-CA-MEDICAL' }, false],
  ['another type', { license_type: 'Pharmacist' }, false],
  ['the board for the type', { license_type: 'EMU-CA-NURSING' }, false],
  ['another state', { license_state: 'NY' }, false],
  ['the number without its punctuation', { license_number: 'RN482913' }, false],
  ['the same, cleaned', { license_number: 'rn 482913', do_ai_clean: true }, true],
  ['cleaning asked for and not needed', { do_ai_clean: true }, true],
])('finds a licence by everything that was sent: %s', async (_, changed, found) => {
  const { post } = emulated()

  expect((await post(path, { ...nurse, ...changed })).data).toMatchObject({ check: { data: { found } } })
})

it.each([
  [{ ...nurse, license_state: 'California' }, 'license_state'],
  [{ ...nurse, license_number: '' }, 'license_number'],
  [{ ...nurse, license_type: undefined }, 'license_type'],
])('refuses a lookup that cannot be made: %j', async (params, field) => {
  const { post } = emulated()

  const reply = await post(path, params)

  expect(reply).toMatchObject({
    status: 400,
    error: { code: 'validation_error', message: expect.stringContaining(field) },
  })
})

it('a scripted lookup finds any number', async () => {
  const { emulator, post } = emulated()
  emulator.checks.script('credential', { data: { license: { status: 'suspended' } } }, { times: 1 })
  emulator.checks.script('credential', 'failed', { times: 1 })

  const found = await post(path, { ...nurse, license_number: 'ANY-1', full_name: 'Anyone' })
  const failed = await post(path, { ...nurse, license_number: 'ANY-1', full_name: 'Anyone' })

  expect(found.data).toMatchObject({
    status: 'passed',
    check: {
      data: { mode: 'verify', match: true, license: { license_number: 'ANY-1', status: 'suspended' } },
    },
  })
  expect(failed.data).toMatchObject({ status: 'failed', check: { data: { match: false } } })
})

function kycForm(fields: Record<string, string> = nurse): FormData {
  const form = formOf('front_image', 'selfie')
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

it('verifies a person and the licence under the name on their ID', async () => {
  const { call } = emulated()

  const { data } = await call('POST', '/api/v2/kyc-credential', { form: kycForm() })

  expect(data).toEqual({
    session_id: expect.stringMatching(/^sess_/),
    status: 'passed',
    identity: { name: 'Alex Sample', dob: '1990-04-12' },
    checks: [
      expect.objectContaining({ type: 'id_verification', status: 'passed' }),
      expect.objectContaining({ type: 'liveness', status: 'passed' }),
      expect.objectContaining({ type: 'face_match', status: 'passed' }),
      expect.objectContaining({ type: 'credential', status: 'passed' }),
    ],
  })
})

it('goes by the name on the ID, whatever name is sent', async () => {
  const { emulator, call } = emulated()
  emulator.checks.script('id_verification', { data: { fields: { full_name: 'Robin Example' } } })

  const { data } = await call('POST', '/api/v2/kyc-credential', {
    form: kycForm({ ...nurse, full_name: 'Alex Sample' }),
  })

  expect(data).toMatchObject({
    status: 'failed',
    identity: { name: 'Robin Example' },
    checks: [{ status: 'passed' }, {}, {}, { status: 'failed', data: { match: false } }],
  })
})

it.each([
  ['id_verification', 'failed', 'failed'],
  ['liveness', 'failed', 'failed'],
  ['face_match', 'review', 'review'],
  ['credential', 'failed', 'failed'],
] as const)('the combined check with %s %s is %s', async (type, status, overall) => {
  const { emulator, call } = emulated()
  emulator.checks.script(type, status, { times: 1 })

  const first = await call('POST', '/api/v2/kyc-credential', { form: kycForm() })

  expect(first.data).toMatchObject({ status: overall })
  expect((first.data as { checks: object[] }).checks).toContainEqual(
    expect.objectContaining({ type, status }),
  )
  expect((await call('POST', '/api/v2/kyc-credential', { form: kycForm() })).data).toMatchObject({
    status: 'passed',
  })
})

it('the combined check takes aliases, and answers 400 for a licence that no board knows', async () => {
  const { call } = emulated()
  const aliases = { provider_code: 'EMU-CA-NURSING', state: 'CA', license_no: 'RN-482913', npi: '1' }

  expect((await call('POST', '/api/v2/kyc-credential', { form: kycForm(aliases) })).status).toBe(200)
  const unknown = await call('POST', '/api/v2/kyc-credential', {
    form: kycForm({ ...nurse, license_number: 'X' }),
  })
  expect(unknown).toMatchObject({ status: 400, error: { code: 'license_not_found' } })
})

it('lists states that have providers, and their providers with a key of their own', async () => {
  const { call } = emulated()
  const { states } = (await call('GET', '/api/v2/credential/states')).data as {
    states: { state_code: string }[]
  }
  const rows: { provider_code: string; credential_code: string; state_code: string }[] = []

  for (const { state_code } of states) {
    const { data } = await call('GET', `/api/v2/credential/states/${state_code}/providers`)
    const { providers } = data as { providers: typeof rows }
    expect(providers.length).toBeGreaterThan(0)
    expect(providers.every((provider) => provider.state_code === state_code)).toBe(true)
    rows.push(...providers)
  }

  expect(new Set(rows.map(({ credential_code }) => credential_code)).size).toBe(rows.length)
  expect(new Set(rows.map(({ provider_code }) => provider_code)).size).toBeLessThan(rows.length)
  expect((await call('GET', '/api/v2/credential/states/ca/providers')).status).toBe(200)
  expect(await call('GET', '/api/v2/credential/states/ZZ/providers')).toMatchObject({
    status: 404,
    error: { code: 'not_found' },
  })
})
