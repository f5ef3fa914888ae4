import { expect, it } from 'vitest'
import { form, listening } from './over-http.ts'

interface Result {
  readonly session_id: string
  readonly status: string
  readonly check: {
    readonly type: string
    readonly status: string
    readonly data: Readonly<Record<string, unknown>>
  }
}

interface Provider {
  readonly provider_code: string
  readonly provider_display_name: string
  readonly credential_code: string
  readonly credential_name: string
  readonly state_code: string
  readonly remote_code: string
  readonly required_fields: readonly string[]
}

const path = '/api/v2/credential-verification'

/** The licence of the person that every ID of the emulator belongs to. */
const nurse = { license_state: 'CA', license_number: 'RN-482913', license_type: 'Registered Nurse' }
const holder = 'Alex Sample'

// Sections 2.6 and 4.5

it('discovery lists the jurisdictions that have a provider, each with its name and two letters', async () => {
  const { get } = await listening()

  const { status, data } = await get<{ states: { state_code: string }[] }>('/api/v2/credential/states')

  expect(status).toBe(200)
  expect(Object.keys(data)).toEqual(['states'])
  expect(data.states.length).toBeGreaterThan(1)
  for (const state of data.states)
    expect(state).toEqual({
      state_name: expect.stringMatching(/../),
      state_code: expect.stringMatching(/^[A-Z]{2}$/),
    })
  expect(new Set(data.states.map(({ state_code }) => state_code)).size).toBe(data.states.length)
})

it('each jurisdiction has providers, told apart by credential_code and not by provider_code', async () => {
  const { get } = await listening()
  const { data } = await get<{ states: { state_code: string }[] }>('/api/v2/credential/states')
  const rows: Provider[] = []

  for (const { state_code } of data.states) {
    const answer = await get<{ providers: Provider[] }>(`/api/v2/credential/states/${state_code}/providers`)
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.data)).toEqual(['providers'])
    expect(answer.data.providers.length).toBeGreaterThan(0)
    for (const provider of answer.data.providers) expect(provider.state_code).toBe(state_code)
    rows.push(...answer.data.providers)
  }

  for (const row of rows)
    expect(row).toEqual({
      provider_code: expect.stringMatching(/./),
      provider_display_name: expect.stringMatching(/./),
      credential_code: expect.stringMatching(/./),
      credential_name: expect.stringMatching(/./),
      state_code: expect.any(String),
      remote_code: expect.any(String),
      required_fields: expect.arrayContaining([expect.stringMatching(/^(license_no|remote_code)$/)]),
    })
  expect(new Set(rows.map(({ credential_code }) => credential_code)).size).toBe(rows.length)
  expect(new Set(rows.map(({ provider_code }) => provider_code)).size).toBeLessThan(rows.length)
})

it('what discovery tells is what a check takes', async () => {
  const { get, post } = await listening()
  const { data } = await get<{ providers: Provider[] }>('/api/v2/credential/states/CA/providers')
  const provider = data.providers.find(({ credential_name }) => credential_name === 'Registered Nurse')

  const { data: result } = await post<Result>(path, {
    license_state: provider?.state_code,
    license_type: provider?.credential_name,
    provider_code: provider?.provider_code,
    license_number: 'RN-482913',
  })

  expect(result.check.data.found).toBe(true)
})

it('the providers of an unknown jurisdiction are 404 not_found', async () => {
  const { get } = await listening()

  const { status, error } = await get('/api/v2/credential/states/ZZ/providers')

  expect([status, error?.code]).toEqual([404, 'not_found'])
})

// Sections 2.3 and 4.4

const license = {
  license_number: 'RN-482913',
  status: expect.any(String),
  issued_at: expect.any(String),
  expires_at: expect.any(String),
  specialty: expect.any(String),
}

it('without a name it searches: found, and no match either way', async () => {
  const { post } = await listening()

  const { status, data } = await post<Result>(path, nurse)

  expect(status).toBe(200)
  expect(data).toMatchObject({ session_id: expect.any(String), check: { type: 'credential' } })
  expect(data.status).toBe(data.check.status)
  expect(data.check.data).toEqual({ mode: 'search', found: true, match: null, license })
})

it('a search that finds nothing says so', async () => {
  const { post } = await listening()

  const { status, data } = await post<Result>(path, { ...nurse, license_number: 'RN-000000' })

  expect(status).toBe(200)
  expect(data.check).toMatchObject({ status: 'failed', data: { mode: 'search', found: false, match: null } })
})

it.each([{ full_name: holder }, { first_name: 'Alex', last_name: 'Sample' }])(
  'with the name of the holder it verifies: match is true (%j)',
  async (name) => {
    const { post } = await listening()

    const { data } = await post<Result>(path, { ...nurse, ...name })

    expect(data).toMatchObject({ status: 'passed', check: { status: 'passed' } })
    expect(data.check.data).toEqual({ mode: 'verify', match: true, license })
  },
)

it.each([{ full_name: 'Robin Example' }, { first_name: 'Robin', last_name: 'Sample' }])(
  'a wrong name fails although the number is right: match is false (%j)',
  async (name) => {
    const { post } = await listening()

    const { status, data } = await post<Result>(path, { ...nurse, ...name })

    expect(status).toBe(200)
    expect(data).toMatchObject({ status: 'failed', check: { status: 'failed' } })
    expect(data.check.data).toMatchObject({ mode: 'verify', match: false })
  },
)

it('a token takes the name of its account, and ignores the one that was sent', async () => {
  const { post } = await listening()

  const { data } = await post<Result>(path, {
    ...nurse,
    svc_access_token: 'token',
    full_name: 'Robin Example',
  })

  expect(data.status).toBe('passed')
  expect(data.check.data).toMatchObject({ match: true })
  // The name of this mode is not shown.
  expect(['search', 'verify']).not.toContain(data.check.data.mode)
})

it('a licence that no board knows is 404 license_not_found where it was to be verified', async () => {
  const { post } = await listening()

  const { status, error } = await post(path, { ...nurse, license_number: 'RN-1', full_name: holder })

  expect([status, error?.code]).toEqual([404, 'license_not_found'])
})

it.each([
  ['its aliases', { state: 'CA', license_no: 'RN-482913', license_type: 'Registered Nurse' }, true],
  ['the board', { ...nurse, provider_code: 'EMU-CA-NURSING' }, true],
  [
    'the board instead of the type',
    { ...nurse, license_type: undefined, provider_code: 'EMU-CA-NURSING' },
    true,
  ],
  ['another board', { ...nurse, provider_code: 'EMU-CA-MEDICAL' }, false],
  ['another type', { ...nurse, license_type: 'Nurse Practitioner' }, false],
  ['another state', { ...nurse, license_state: 'TX' }, false],
  ['another punctuation', { ...nurse, license_number: 'RN482913' }, false],
  ['another punctuation, tidied', { ...nurse, license_number: 'rn 482913', do_ai_clean: true }, true],
  ['an npi', { ...nurse, npi: '1234567893' }, true],
])('a licence is looked up by %s', async (_, query, found) => {
  const { post } = await listening()

  const { status, data } = await post<Result>(path, query)

  expect(status).toBe(200)
  expect(data.check.data.found).toBe(found)
})

it.each([
  ['a state', { license_number: 'RN-482913', license_type: 'Registered Nurse' }],
  ['a state of two letters', { ...nurse, license_state: 'California' }],
  ['a number', { license_state: 'CA', license_type: 'Registered Nurse' }],
  ['a type or a board', { license_state: 'CA', license_number: 'RN-482913' }],
])('a lookup without %s is 400 validation_error', async (_, query) => {
  const { post } = await listening()

  const { status, error } = await post(path, query)

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})

it('a lookup takes JSON, and no form', async () => {
  const { call } = await listening()

  const { status, error } = await call('POST', path, { body: form(nurse) })

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})
