import { expect, it } from 'vitest'
import {
  assertPassed,
  CheckNotPassedError,
  type CombinedResult,
  type Decision,
  type StandaloneResult,
} from '../../src/index.ts'
import {
  aDecision,
  ageCheck,
  combined,
  credentialCheck,
  faceMatchCheck,
  idCheck,
  livenessCheck,
  locationCheck,
  standalone,
} from '../support/fixtures.ts'

type Result = StandaloneResult | CombinedResult

const approved = (over: object = {}) => aDecision({ checks: [idCheck({ status: 'failed' })], ...over })

it.each([
  ['a passed check', standalone(livenessCheck())],
  ['a passed age check, which has no score', standalone(ageCheck())],
  ['a captured location without a match', standalone(locationCheck({ data: {} }))],
  ['a license that belongs to the person', standalone(credentialCheck())],
  ['a match without a mode', standalone(credentialCheck({ data: { match: true } }))],
  ['a license in account mode without a match', standalone(credentialCheck({ data: { mode: 'account' } }))],
  ['a combined result whose checks all passed', combined()],
  ['an approved decision, for any of its checks', approved()],
  ['an approved decision without checks', approved({ checks: [] })],
  ['an approved decision with another status', approved({ status: 'IN_REVIEW' })],
])('accepts %s', (_, result) => {
  expect(() => assertPassed(result as Result)).not.toThrow()
})

it.each([
  ['a check under review', standalone(idCheck({ status: 'review' })), [['id_verification', 'review']]],
  ['a failed check', standalone(faceMatchCheck({ status: 'failed' })), [['face_match', 'failed']]],
  ['a pending check', standalone(idCheck({ status: 'pending' })), [['id_verification', 'pending']]],
  ['a running check', standalone(idCheck({ status: 'running' })), [['id_verification', 'running']]],
  ['a status that is not in the contract', standalone(idCheck({ status: 'PASSED' })), [['id_verification', 'PASSED']]],
  [
    'a license that was only searched for',
    standalone(credentialCheck({ data: { mode: 'search', found: true, match: null } })),
    [['credential', 'passed']],
  ],
  [
    'a search without a match',
    standalone(credentialCheck({ data: { mode: 'search', found: true } })),
    [['credential', 'passed']],
  ],
  [
    'a search whose result has no mode',
    standalone(credentialCheck({ data: { found: true, match: null } })),
    [['credential', 'passed']],
  ],
  [
    'a license whose match is null',
    standalone(credentialCheck({ data: { mode: 'verify', match: null } })),
    [['credential', 'passed']],
  ],
  [
    'a license of another person',
    standalone(credentialCheck({ data: { mode: 'verify', match: false } })),
    [['credential', 'passed']],
  ],
  ['a license check without data', standalone(credentialCheck({ data: undefined })), [['credential', 'passed']]],
  [
    'one failed check among passed ones',
    combined({
      checks: [idCheck(), livenessCheck({ status: 'failed' }), faceMatchCheck({ status: 'review' })],
    }),
    [
      ['liveness', 'failed'],
      ['face_match', 'review'],
    ],
  ],
  ['a result without checks', combined({ checks: [] }), []],
  ['a result that is under review although its checks passed', combined({ status: 'review' }), []],
  ['a result whose checks are missing', combined({ checks: undefined }), []],
])('rejects %s', (_, result, failed) => {
  let thrown: unknown
  try {
    assertPassed(result as Result)
  } catch (error) {
    thrown = error
  }

  expect(thrown).toBeInstanceOf(CheckNotPassedError)
  expect(thrown).toMatchObject({ code: 'check_not_passed' })
  expect((thrown as CheckNotPassedError).failed).toEqual(failed.map(([type, status]) => ({ type, status })))
})

it('the error of an age check names the bands that the service did not decide', () => {
  const bands = { 18: { verified: true, min_age: 18 }, 19: { verified: null, error: 'unknown_band' } }
  const check = ageCheck({ status: 'failed', data: { age: 20, dob: '2006-01-01', bands } })
  let thrown: unknown
  try {
    assertPassed(standalone(check) as Result)
  } catch (error) {
    thrown = error
  }

  expect(thrown).toMatchObject({ failed: [{ type: 'age', status: 'failed', unknownBands: ['19'] }] })
  expect(String(thrown)).toContain(
    'age (failed: the service did not decide 19 of the bands, which does not mean too young)',
  )
})

it('the error does not serialize the data of the checks, but exposes it in checks', () => {
  const check = idCheck({ status: 'review' })
  let thrown: unknown
  try {
    assertPassed(standalone(check) as Result)
  } catch (error) {
    thrown = error
  }

  expect(JSON.stringify(thrown)).not.toMatch(/Lovelace|X1234567/)
  expect((thrown as CheckNotPassedError).checks).toEqual([check])
})

it.each([
  ['a declined decision', { decision: 'DECLINED' }, 'the decision is DECLINED, not APPROVED'],
  [
    'a pending decision',
    { decision: null, status: 'IN_REVIEW' },
    'the decision is pending (status IN_REVIEW), not APPROVED',
  ],
  ['a decision of another kind', { decision: 'approved' }, 'the decision is approved, not APPROVED'],
])('rejects %s, although all of its checks passed', (_, over, reason) => {
  const decision = aDecision({ checks: [idCheck(), livenessCheck()], ...over }) as unknown as Decision

  const assert = () => assertPassed(decision)

  expect(assert).toThrow(CheckNotPassedError)
  expect(assert).toThrow(`assertPassed: ${reason}`)
})

it('looks at the check of a standalone result that has a decision too', () => {
  const result = { ...standalone(livenessCheck({ status: 'failed' })), decision: 'APPROVED' }

  expect(() => assertPassed(result as unknown as Result)).toThrow(CheckNotPassedError)
})
