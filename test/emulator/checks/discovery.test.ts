import { expect, it } from 'vitest'
import type { CheckResult } from '../support/checks.ts'
import { overHttp } from '../support/service.ts'

// Sections 2.6 and 4.5

const path = '/api/v2/credential/states'

interface States {
  readonly states: readonly { readonly state_name: string; readonly state_code: string }[]
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

it('lists the jurisdictions that have a provider, each with its name and two letters', async () => {
  const { get } = await overHttp()

  const { status, data } = await get<States>(path)

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

it('lists the providers of each jurisdiction. credential_code is unique, provider_code is not', async () => {
  const { get } = await overHttp()
  const { states } = (await get<States>(path)).data
  const rows: Provider[] = []

  for (const { state_code } of states) {
    const { status, data } = await get<{ providers: Provider[] }>(`${path}/${state_code}/providers`)
    expect(status).toBe(200)
    expect(Object.keys(data)).toEqual(['providers'])
    expect(data.providers.length).toBeGreaterThan(0)
    for (const provider of data.providers) expect(provider.state_code).toBe(state_code)
    rows.push(...data.providers)
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

it('returns values that a credential check accepts', async () => {
  const { get, post } = await overHttp()
  const { data } = await get<{ providers: Provider[] }>(`${path}/CA/providers`)
  const provider = data.providers.find(({ credential_name }) => credential_name === 'Registered Nurse')

  const result = await post<CheckResult>('/api/v2/credential-verification', {
    license_state: provider?.state_code,
    license_type: provider?.credential_name,
    provider_code: provider?.provider_code,
    license_number: 'RN-482913',
  })

  expect(result.data.check.data.found).toBe(true)
})

it('accepts the code of a jurisdiction in lower case', async () => {
  const { get } = await overHttp()

  const [lower, upper] = [await get(`${path}/ca/providers`), await get(`${path}/CA/providers`)]

  expect(lower.status).toBe(200)
  expect(lower.data).toEqual(upper.data)
})

it('returns 404 not_found for an unknown jurisdiction', async () => {
  const { get } = await overHttp()

  const { status, error } = await get(`${path}/ZZ/providers`)

  expect([status, error?.code]).toEqual([404, 'not_found'])
})
