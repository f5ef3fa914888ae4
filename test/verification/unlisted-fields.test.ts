// A name: cspell:ignore Müller

import { expect, it, vi } from 'vitest'
import { findCheck, unlistedFields } from '../../src/verification.ts'
import { aDecision, aProvider, aSession, idCheck, livenessCheck, standalone } from '../support/fixtures.ts'
import { scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { testClient } from '../support/verification-client.ts'

const clientThatReceives = (data: unknown, mode: 'strict' | 'warn' | 'off' = 'warn') =>
  testClient({ fetch: scriptedFetch(succeed(data)).fetch, responseValidation: mode }).client

it.each(['strict', 'warn', 'off'] as const)(
  'returns the fields of a session that the contract does not list, with responseValidation %s',
  async (mode) => {
    const client = clientThatReceives(
      aSession({ workflow_id: 'wf_1', created_at: null, vendor_data: 'a' }),
      mode,
    )

    const session = await client.sessions.retrieve('sess_1')

    expect(unlistedFields(session)).toEqual({ workflow_id: 'wf_1', created_at: null })
  },
)

it('returns no fields of a result that has only listed ones', async () => {
  const session = await clientThatReceives(aSession()).sessions.retrieve('sess_1')

  expect(unlistedFields(session)).toEqual({})
})

it('returns the fields of every part of a decision', async () => {
  const data = { live_score: 1, iris: { left: 0.9 } }
  const fields = { full_name: 'Zoë Müller', mrz: 'P<UTO' }
  const client = clientThatReceives(
    aDecision({
      reviewer: 'r_1',
      checks: [livenessCheck({ data, device: 'phone' }), idCheck({ data: { fields } })],
    }),
  )

  const decision = await client.sessions.decision('sess_1')

  expect(unlistedFields(decision)).toEqual({ reviewer: 'r_1' })
  const liveness = findCheck(decision, 'liveness')
  expect(unlistedFields(liveness ?? {})).toEqual({ device: 'phone' })
  expect(unlistedFields(liveness?.data ?? {})).toEqual({ iris: { left: 0.9 } })
  expect(unlistedFields(findCheck(decision, 'id_verification')?.data.fields ?? {})).toEqual({ mrz: 'P<UTO' })
})

it('returns no data of a check whose type the contract does not list', async () => {
  const iris = { type: 'iris', status: 'passed', score: 1, error: null, data: { left: 0.9 }, side: 'left' }
  const { checks } = await clientThatReceives(aDecision({ checks: [iris] })).sessions.decision('sess_1')

  expect(unlistedFields(checks[0] ?? {})).toEqual({ side: 'left' })
  expect(unlistedFields(checks[0]?.data ?? {})).toBe(undefined)
})

it('returns the fields of each item of a list', async () => {
  const client = clientThatReceives({ providers: [aProvider(), aProvider({ fee: 3 })] })

  const [first = {}, second = {}] = await client.credentials.listProviders('CA')

  expect([unlistedFields(first), unlistedFields(second)]).toEqual([{}, { fee: 3 }])
})

it('never takes the bands of an age check for unlisted fields', async () => {
  const band = { verified: true, min_age: 18, source: 'dob' }
  const check = { type: 'age', status: 'passed', data: { age: 30, bands: { '18+': band } }, error: null }
  const { check: age } = await clientThatReceives(standalone(check)).checks.age({
    dob: '1990-01-01',
    bands: ['18+'],
  })

  expect(unlistedFields(age.data.bands ?? {})).toEqual({})
  expect(unlistedFields(age.data.bands?.['18+'] ?? {})).toEqual({ source: 'dob' })
})

it('returns undefined for a copy, because only results of the service are known', async () => {
  const session = await clientThatReceives(aSession({ extra: 1 })).sessions.retrieve('sess_1')

  expect(unlistedFields({ ...session })).toBe(undefined)
})

it('returns the fields of a result of another copy of the package', async () => {
  const session = await clientThatReceives(aSession({ extra: 1 })).sessions.retrieve('sess_1')
  vi.resetModules()
  const copy = await import('../../src/verification.ts')

  expect(copy.unlistedFields).not.toBe(unlistedFields)
  expect(copy.unlistedFields(session)).toEqual({ extra: 1 })
})
