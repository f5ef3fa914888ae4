import { expect, it } from 'vitest'
import { type CheckResult, holder, nurse } from '../support/checks.ts'
import { overHttp } from '../support/service.ts'

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
