import { expect, it } from 'vitest'
import { CheckNotPassedError } from '../../src/errors.ts'
import { assertPassed, type CombinedResult, type StandaloneResult } from '../../src/verification.ts'
import {
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

it.each([
  ['a check', standalone(livenessCheck())],
  ['an age check, which has no score', standalone(ageCheck())],
  ['a captured location without a match', standalone(locationCheck({ data: {} }))],
  ['a licence that belongs to the person', standalone(credentialCheck())],
  ['a match whose mode is not told', standalone(credentialCheck({ data: { match: true } }))],
  ['a licence in a mode that tells no match', standalone(credentialCheck({ data: { mode: 'account' } }))],
  ['every check of a combined result', combined()],
])('lets %s through that passed', (_, result) => {
  expect(() => assertPassed(result as Result)).not.toThrow()
})

it.each([
  ['a check under review', standalone(idCheck({ status: 'review' })), [['id_verification', 'review']]],
  ['a failed check', standalone(faceMatchCheck({ status: 'failed' })), [['face_match', 'failed']]],
  ['a pending check', standalone(idCheck({ status: 'pending' })), [['id_verification', 'pending']]],
  ['a running check', standalone(idCheck({ status: 'running' })), [['id_verification', 'running']]],
  ['a status to come', standalone(idCheck({ status: 'PASSED' })), [['id_verification', 'PASSED']]],
  [
    'a licence that was only searched for',
    standalone(credentialCheck({ data: { mode: 'search', found: true, match: null } })),
    [['credential', 'passed']],
  ],
  [
    'a search that tells no match',
    standalone(credentialCheck({ data: { mode: 'search', found: true } })),
    [['credential', 'passed']],
  ],
  [
    'a search whose answer does not name its mode',
    standalone(credentialCheck({ data: { found: true, match: null } })),
    [['credential', 'passed']],
  ],
  [
    'a licence whose match is left open',
    standalone(credentialCheck({ data: { mode: 'verify', match: null } })),
    [['credential', 'passed']],
  ],
  [
    "somebody else's licence",
    standalone(credentialCheck({ data: { mode: 'verify', match: false } })),
    [['credential', 'passed']],
  ],
  [
    'a licence check without data',
    standalone(credentialCheck({ data: undefined })),
    [['credential', 'passed']],
  ],
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
  ['a result that is under review though its checks passed', combined({ status: 'review' }), []],
  ['a result whose list of checks is missing', combined({ checks: undefined }), []],
])('refuses %s', (_, result, failed) => {
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

it('keeps what the checks hold out of the error, and hands it over when asked', () => {
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
