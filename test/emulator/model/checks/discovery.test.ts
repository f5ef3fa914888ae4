import { expect, it } from 'vitest'
import { overHttp } from '../../support/service.ts'

// Sections 2.6 and 4.5

const path = '/api/v2/credential/states'

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

it('lists states by two letters, each with at least one provider, whose rows have unique credential codes', async () => {
  const { get } = await overHttp()
  const { states } = (await get<{ states: readonly Record<string, string>[] }>(path)).data

  expect(states).toContainEqual({ state_name: 'California', state_code: 'CA' })
  for (const { state_code } of states) {
    expect(state_code).toMatch(/^[A-Z]{2}$/)
    const { data } = await get<{ providers: readonly Record<string, unknown>[] }>(`${path}/${state_code}/providers`)
    expect(data.providers.length).toBeGreaterThan(0)
    expect(new Set(data.providers.map(({ state_code }) => state_code))).toEqual(new Set([state_code]))
    expect(new Set(data.providers.map(({ credential_code }) => credential_code)).size).toBe(data.providers.length)
  }
})

it('several rows share a provider_code, and each has all fields of a provider', async () => {
  const { get } = await overHttp()

  const { providers } = (await get<{ providers: object[] }>(`${path}/CA/providers`)).data

  expect(providers[1]).toEqual({
    provider_code: 'EMU-CA-NURSING',
    provider_display_name: 'Emulated California Board of Nursing',
    state_code: 'CA',
    credential_code: 'EMU-CA-NP',
    credential_name: 'Nurse Practitioner',
    remote_code: 'NP',
    required_fields: ['license_no', 'remote_code'],
  })
  expect(providers[0]).toMatchObject({ provider_code: 'EMU-CA-NURSING', required_fields: ['license_no'] })
})
