import { expect, it } from 'vitest'
import { type CheckResult, holder, nurse } from '../../support/checks.ts'
import { inProcess, overHttp } from '../../support/service.ts'

// Sections 2.3 and 4.4

const path = '/api/v2/credential-verification'

it('fails with found: false if a search finds nothing', async () => {
  const { post } = await overHttp()

  const { status, data } = await post<CheckResult>(path, { ...nurse, license_number: 'RN-0' })

  expect([status, data.status]).toEqual([200, 'failed'])
  expect(data.check).toMatchObject({ status: 'failed', data: { mode: 'search', found: false, match: null } })
})

it.each([{ full_name: holder }, { svc_access_token: 'token' }])(
  'returns 404 license_not_found if a verification finds nothing, and charges nothing: %j',
  async (person) => {
    const { emulator, post } = await overHttp()

    const { status, error } = await post(path, { ...nurse, license_number: 'RN-0', ...person })

    expect([status, error?.code]).toEqual([404, 'license_not_found'])
    expect(emulator.ledger).toEqual([])
  },
)

it.each([
  ['finds', 'with both, and prefers the documented name', { ...nurse, state: 'NY', license_no: 'other' }],
  ['finds', 'with the provider and the type', { ...nurse, provider_code: 'EMU-CA-NURSING' }],
  ['finds', 'with the state in lower case', { ...nurse, license_state: 'ca' }],
  ['finds', 'with the alias state', { ...nurse, license_state: undefined, state: 'CA' }],
  ['finds', 'with the alias license_no', { ...nurse, license_number: undefined, license_no: nurse.license_number }],
  [
    'finds',
    'with the provider instead of the type',
    { ...nurse, license_type: undefined, provider_code: 'EMU-CA-NURSING' },
  ],
  ['finds', 'with an odd number and do_ai_clean', { ...nurse, license_number: 'rn 482913', do_ai_clean: true }],
  ['does not find', 'with a number without its punctuation', { ...nurse, license_number: 'RN482913' }],
  ['does not find', 'with another provider', { ...nurse, provider_code: 'EMU-CA-MEDICAL' }],
  ['finds', 'with an npi', { ...nurse, npi: '1234567893' }],
  ['finds', 'with do_ai_clean although the number is right', { ...nurse, do_ai_clean: true }],
  ['does not find', 'with another type', { ...nurse, license_type: 'Pharmacist' }],
  ['does not find', 'with the provider code as type', { ...nurse, license_type: 'EMU-CA-NURSING' }],
  ['does not find', 'with another state', { ...nurse, license_state: 'NY' }],
])('%s the license %s', async (found, _, query) => {
  const { post } = await overHttp()

  const { status, data } = await post<CheckResult>(path, query)

  expect(status).toBe(200)
  expect(data.check.data.found).toBe(found === 'finds')
})

const other = 'Robin Example'

it.each([
  ['no name', {}, 'passed', { mode: 'search', found: true, match: null }],
  ['full_name', { full_name: holder }, 'passed', { mode: 'verify', match: true }],
  ['both names', { first_name: 'Alex', last_name: 'Sample' }, 'passed', { mode: 'verify', match: true }],
  ['another full_name', { full_name: other }, 'failed', { mode: 'verify', match: false }],
  ['two other names', { first_name: 'Robin', last_name: 'Example' }, 'failed', { mode: 'verify', match: false }],
  [
    'an access token and a name, which is ignored',
    { svc_access_token: 'token', full_name: other },
    'passed',
    { mode: expect.not.stringMatching(/^(?:search|verify)$/), match: true },
  ],
])('has the mode and the match of its request: %s', async (_, person, status, facts) => {
  const { data } = await inProcess().post<CheckResult>(path, { ...nurse, ...person })

  expect(data).toMatchObject({ status, check: { status, data: facts } })
})

it.each([
  ['no state', { license_state: undefined }],
  ['a state of more than two letters', { license_state: 'California' }],
  ['a state with a digit', { license_state: 'C1' }],
  ['no number', { license_number: undefined }],
  ['neither type nor provider', { license_type: undefined }],
])('rejects %s with 400 validation_error', async (_, over) => {
  const { status, error } = await inProcess().post(path, { ...nurse, ...over })

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})
