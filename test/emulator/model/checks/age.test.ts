import { expect, it } from 'vitest'
import type { CheckResult } from '../../support/checks.ts'
import { inProcess, overHttp } from '../../support/service.ts'

// Section 4.3: age

const path = '/api/v2/age-verification'

it.each([
  ['2008-03-01', true],
  ['2008-03-02', false],
  ['2007-12-31', true],
])('counts whole years to the day: born on %s, 18 on 1 March 2026 is %s', async (dob, verified) => {
  const { post } = await overHttp()

  const { data } = await post<CheckResult>(path, { dob, bands: [18] })

  expect(data.check.data).toMatchObject({ age: verified ? 18 : 17, bands: { 18: { verified } } })
})

it.each(['2005/06/15', '2005-06-15T00:00:00Z'])('reads dates that start with the year: %s', async (dob) => {
  const { post } = await overHttp()

  const { status, data } = await post<CheckResult>(path, { dob, bands: [18] })

  expect(status).toBe(200)
  expect(data.check.data.dob).toBe('2005-06-15')
})

it.each([
  ['no dob', { bands: [18] }],
  ['an empty dob', { dob: '', bands: [18] }],
  ['a dob that is not a date', { dob: 'yesterday', bands: [18] }],
  ['a dob with the day first', { dob: '15.06.2005', bands: [18] }],
  ['a dob with the month first', { dob: '06/15/2005', bands: [18] }],
  ['a day that does not exist', { dob: '2005-06-31', bands: [18] }],
  ['29 February of a common year', { dob: '2001-02-29', bands: [18] }],
  ['a month that does not exist', { dob: '2005-13-01', bands: [18] }],
  ['a dob in the future', { dob: '2026-03-02', bands: [18] }],
  ['no bands', { dob: '2000-01-01' }],
  ['bands that are not a list', { dob: '2000-01-01', bands: '18' }],
  ['a band that is not a whole number', { dob: '2000-01-01', bands: [18.5] }],
  ['an empty band', { dob: '2000-01-01', bands: [''] }],
])('rejects %s with 400 validation_error', async (_, body) => {
  const { post } = await overHttp()

  const { status, error } = await post(path, body)

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})

it.each<[bands: readonly (string | number)[], status: string, results: object]>([
  [[18], 'passed', { 18: { verified: true, min_age: 18 } }],
  [['18'], 'passed', { 18: { verified: true, min_age: 18 } }],
  [['18+'], 'passed', { '18+': { verified: true, min_age: 18 } }],
  [['is_18_plus'], 'passed', { is_18_plus: { verified: true, min_age: 18 } }],
  [[], 'passed', { is_18_plus: { verified: true, min_age: 18 } }],
  [[33, 65], 'failed', { 33: { verified: true, min_age: 33 }, 65: { verified: false, min_age: 65 } }],
  [[18, 'adult'], 'failed', { 18: { verified: true, min_age: 18 }, adult: { verified: null, error: 'unknown_band' } }],
])('the bands %j are %s for a person of 35, under the keys of the request', async (bands, status, results) => {
  const { data } = await inProcess().post<CheckResult>(path, { dob: '1990-04-12', bands })

  expect(data).toMatchObject({ status, check: { status } })
  expect(data.check.data.bands).toEqual(results)
})
