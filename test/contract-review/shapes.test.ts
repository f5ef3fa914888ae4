// Hexadecimal digits: cspell:ignore ffee

import { expect, it } from 'vitest'
import type { Logger, OidcClient } from '../../src/index.ts'
import { verifyWebhook } from '../../src/webhooks.ts'
import { issuer, json, tokens } from '../oidc/issuer.ts'
import {
  aDecision,
  ageCheck,
  aProvider,
  aSession,
  aState,
  aWorkflow,
  combined,
  credentialCheck,
  faceMatchCheck,
  idCheck,
  livenessCheck,
  locationCheck,
  pendingDecision,
  standalone,
} from '../support/fixtures.ts'
import { aBill, aMember } from '../support/roster-operations.ts'
import { errorResponse } from '../support/scripted-service.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { aDelivery, anEvent, clockAt, secret, signedAt } from '../support/webhook.ts'
import { documentedCalls } from './documented-calls.ts'
import { statements } from './statement.ts'

// Every JSON shape of sections 2, 4 and 6 of the contract, with its optional members and null values.

const { received, service, strictClients } = documentedCalls()

/** What the service sends as `data`, by method. The last value is what the caller gets, if it is not the same. */
type Shape = [what: string, method: string, data: unknown, result?: unknown]

const without = (value: object, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

const retrieved = {
  workflow_id: 'wf_1',
  vendor_data: 'user-42',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
}

const sessions: readonly Shape[] = [
  ['a new session', 'sessions.create', aSession()],
  ['a new session without redirect_url', 'sessions.create', without(aSession(), 'redirect_url')],
  ['a new session whose redirect_url is null', 'sessions.create', aSession({ redirect_url: null })],
  ['an empty list of sessions', 'sessions.list', []],
  ['a list of sessions', 'sessions.list', [aSession(), aSession({ session_id: 'sess_2', ...retrieved })]],
  ['a retrieved session with further fields', 'sessions.retrieve', aSession(retrieved)],
  ['an overridden session', 'sessions.updateStatus', aSession({ status: 'DECLINED', ...retrieved })],
  ['a decision', 'sessions.decision', aDecision({ vendor_data: 'user-42' })],
  ['a declined decision', 'sessions.decision', aDecision({ status: 'DECLINED', decision: 'DECLINED' })],
  ['a decision in review', 'sessions.decision', aDecision({ status: 'IN_REVIEW', decision: null })],
  ['a pending decision with null values', 'sessions.decision', pendingDecision()],
  [
    'a pending decision without decision, decided_at and checks',
    'sessions.decision',
    { status: 'IN_PROGRESS' },
    { status: 'IN_PROGRESS', decision: null, checks: [] },
  ],
  [
    'a pending decision whose checks are null',
    'sessions.decision',
    pendingDecision({ checks: null }),
    pendingDecision(),
  ],
  [
    'a decision with a check of each type',
    'sessions.decision',
    aDecision({
      checks: [idCheck(), livenessCheck(), faceMatchCheck(), ageCheck(), credentialCheck(), locationCheck()],
    }),
  ],
  [
    'a decision with a pending check without data',
    'sessions.decision',
    aDecision({ checks: [{ type: 'liveness', status: 'pending', error: null }] }),
    aDecision({ checks: [{ type: 'liveness', status: 'pending', data: {}, error: null }] }),
  ],
  ['a workflow', 'experimental.workflows.retrieve', aWorkflow()],
  ['a list of workflows', 'experimental.workflows.list', [aWorkflow()]],
]

const bands = {
  '18': { verified: true, min_age: 18 },
  '21+': { verified: false, min_age: 21 },
  is_65_plus: { verified: false, min_age: 65 },
  elder: { verified: null, error: 'unknown_band' },
}

const location = locationCheck().data
const search = { mode: 'search', found: true, match: null, license: credentialCheck().data.license }

const checks: readonly Shape[] = [
  ['an ID verification', 'checks.idVerification', standalone(idCheck())],
  [
    'an ID verification whose fields are null',
    'checks.idVerification',
    standalone(idCheck({ data: { fields: null, portrait: null, dob: null, authenticity: null } })),
  ],
  [
    'an ID verification in review, without data',
    'checks.idVerification',
    standalone(without(idCheck({ status: 'review' }), 'data') as { status: string }),
    standalone(idCheck({ status: 'review', data: {} })),
  ],
  [
    'an ID verification whose data is null',
    'checks.idVerification',
    standalone(idCheck({ status: 'failed', data: null })),
    standalone(idCheck({ status: 'failed', data: {} })),
  ],
  ['a liveness check', 'checks.liveness', standalone(livenessCheck())],
  [
    'a failed liveness check with an error',
    'checks.liveness',
    standalone(
      livenessCheck({
        status: 'failed',
        score: 0,
        error: { message: 'A screen was shown.', code: 'replay' },
      }),
    ),
  ],
  [
    'a liveness check without score',
    'checks.liveness',
    standalone(without(livenessCheck(), 'score') as { status: string }),
  ],
  [
    'a liveness check without error',
    'checks.liveness',
    standalone(without(livenessCheck(), 'error') as { status: string }),
  ],
  ['a face match', 'checks.faceMatch', standalone(faceMatchCheck())],
  ['an age check', 'checks.age', standalone(ageCheck())],
  [
    'an age check with every form of band',
    'checks.age',
    standalone(ageCheck({ data: { age: 20, dob: '2005-05-17', bands } })),
  ],
  ['a license search', 'checks.credential', standalone(credentialCheck({ data: search }))],
  [
    'a license search without a result',
    'checks.credential',
    standalone(credentialCheck({ status: 'failed', data: { mode: 'search', found: false, match: null } })),
  ],
  ['a verified license', 'checks.credential', standalone(credentialCheck())],
  [
    'a license of another person',
    'checks.credential',
    standalone(credentialCheck({ status: 'failed', data: { ...credentialCheck().data, match: false } })),
  ],
  [
    'a license in account mode',
    'checks.credential',
    standalone(credentialCheck({ data: { mode: 'account', match: true, proofs: { license: true } } })),
  ],
  ['a location inside the radius', 'checks.location', standalone(locationCheck())],
  [
    'a location outside the radius',
    'checks.location',
    standalone(locationCheck({ status: 'failed', data: { ...location, match: false }, error: '7 km away' })),
  ],
  [
    'a location without radius',
    'checks.location',
    standalone(locationCheck({ data: { ...without(location, 'radius_m'), match: null } })),
  ],
  [
    'a location without expected point',
    'checks.location',
    standalone(
      locationCheck({
        data: without(location, 'expected_latitude', 'expected_longitude', 'distance_m', 'radius_m', 'match'),
      }),
    ),
  ],
  [
    'a location without coordinates',
    'checks.location',
    standalone(
      locationCheck({
        status: 'failed',
        data: {},
        error: { message: 'No fix.', reason: 'permission_denied' },
      }),
    ),
  ],
  ['the combined result', 'checks.kycCredential', combined()],
  [
    'the combined result without identity',
    'checks.kycCredential',
    without(combined({ status: 'failed' }), 'identity'),
  ],
  ['the combined result whose identity is null', 'checks.kycCredential', combined({ identity: null })],
  [
    'the combined result whose checks are absent',
    'checks.kycCredential',
    without(combined({ status: 'failed' }), 'checks'),
    combined({ status: 'failed', checks: [] }),
  ],
  ['the states', 'credentials.listStates', { states: [aState()] }, [aState()]],
  ['no states', 'credentials.listStates', { states: [] }, []],
  ['the providers', 'credentials.listProviders', { providers: [aProvider()] }, [aProvider()]],
  [
    'a provider without remote_code and required fields',
    'credentials.listProviders',
    { providers: [aProvider({ remote_code: null, required_fields: [] })] },
    [aProvider({ remote_code: null, required_fields: [] })],
  ],
  ['the result of antispoof', 'experimental.antispoof.check', { human_score: 0.99 }],
  [
    'the result of an antispoof identity',
    'experimental.antispoof.identity',
    { human_score: 0.99, uuid: 'c0ffee' },
  ],
  ['the result of face uniqueness', 'experimental.faceUniqueness.check', { unique: true }],
  ['a deleted face', 'experimental.faceUniqueness.delete', null],
]

const unconnected = aMember({
  status: 'link_sent',
  active: false,
  svc_id: null,
  first_name: null,
  last_name: null,
})
const created = { ...unconnected, activation_link: null, invite_method: 'email' }
const removed = { member: null, removed: true }

const organization: readonly Shape[] = [
  [
    'a roster',
    'members.list',
    { members: [aMember(), unconnected], organization: { id: 3, name: 'Analytical Engines' } },
  ],
  [
    'an empty roster',
    'members.list',
    { members: [], organization: { id: 'org_3', name: 'Analytical Engines' } },
  ],
  ['a member who was found', 'members.resolve', { found: true, member: aMember({ role: 'owner' }) }],
  ['a member who was not found', 'members.resolve', { found: false, member: null }],
  [
    'added, reactivated and skipped members',
    'members.add',
    {
      created: [
        { ...created, activation_link: 'https://console.example.test/activate/a', invite_method: 'face' },
        created,
        { ...aMember(), activation_link: null, invite_method: 'none', reactivated: true },
      ],
      skipped: [{ email: 'bob@example.com', reason: 'duplicate' }],
      notified: true,
    },
  ],
  ['no added members', 'members.add', { created: [], skipped: [], notified: false }],
  ['a deactivated member', 'members.deactivate', { member: unconnected }, unconnected],
  ['a reactivated member', 'members.reactivate', { member: aMember() }, aMember()],
  ['a member who was removed permanently', 'members.remove', removed],
  ['a member who was deactivated by the removal', 'members.remove', { member: unconnected }],
  ['a member who was gone already', 'members.remove', { member: null, already_removed: true }],
  ['an invite', 'members.invite', { member: unconnected, activation_link: 'https://console.example.test/a' }],
  ['a billing summary', 'billing.retrieve', aBill()],
  ['a billing summary before a plan exists', 'billing.retrieve', aBill({ subscription: null, invoices: [] })],
  [
    'a billing summary in the trial',
    'billing.retrieve',
    aBill({
      subscription: { ...aBill().subscription, in_trial: true, trial_ends_at: '2026-02-01T00:00:00Z' },
    }),
  ],
  [
    'a billing summary without the end of a period',
    'billing.retrieve',
    aBill({ subscription: without(aBill().subscription, 'trial_ends_at', 'current_period_end') }),
  ],
]

it.each<Shape>([...sessions, ...checks, ...organization])(
  'returns %s from %s in strict mode, without a warning',
  async (_, method, data, result = data) => {
    expect(await received(method, data)).toEqual(result)
  },
)

// Sign-in

/** A client that fails the test if it warns. */
function strictSignIn(data: unknown, at: 'token' | 'others') {
  const warnings: unknown[] = []
  const note = (...record: unknown[]) => void warnings.push(record)
  const logger: Logger = { debug: () => {}, info: () => {}, warn: note, error: note }
  const { client, ...endpoints } = issuer()
  endpoints[at].respondWith(json(data))
  return { oidc: client({ responseValidation: 'strict', logger }), warnings }
}

it('returns tokens from a code exchange in strict mode, without a warning', async () => {
  const { oidc, warnings } = strictSignIn(tokens(), 'token')

  const result = await oidc.exchangeCode({ code: 'code_1' })

  expect(result).toMatchObject(JSON.parse(JSON.stringify(tokens())))
  expect(warnings).toEqual([])
})

statements(
  '2.8',
  [['refresh_token'], ['scope']] as const,
  (name) => `tokens without ${name} are rejected in strict mode, and otherwise returned`,
  async (name) => {
    const body = tokens({ [name]: undefined })
    const { oidc } = strictSignIn(body, 'token')
    const lenient = issuer()
    lenient.token.respondWith(json(body))

    const failure = await thrownBy(oidc.exchangeCode({ code: 'code_1' }))
    const result = await lenient.client().exchangeCode({ code: 'code_1' })

    expect(failure).toMatchObject({ code: 'invalid_response', message: expect.stringContaining(name) })
    expect(result).toMatchObject({ access_token: expect.any(String) })
    expect(result).not.toHaveProperty(name)
  },
)

it('returns refreshed tokens without id_token in strict mode, without a warning', async () => {
  const { oidc, warnings } = strictSignIn(tokens({ id_token: undefined }), 'token')

  const { expiresAtSeconds: _, ...result } = await oidc.refresh('refresh_0_0123456789')

  expect(result).toEqual(JSON.parse(JSON.stringify(tokens({ id_token: undefined }))))
  expect(warnings).toEqual([])
})

const legacyTokens = { access_token: 'a_1', token_type: 'Bearer', expires_in: 900, refresh_token: 'r_1' }
const user = {
  id: 7,
  email: 'ada@example.test',
  username: null,
  name: 'Ada Lovelace',
  svc_id: null,
  avatar_url: null,
  created_at: '2026-01-01T00:00:00Z',
}
const info = {
  sub: 'user_1',
  email: 'ada@example.test',
  first_name: 'Ada',
  last_name: null,
  full_name: 'Ada Lovelace',
  svc_id: 'svc_1',
  id_verified: false,
  created_at: '2026-01-01T00:00:00Z',
}
const licenses = [{ type: 'RN', number: '1', status: 'active', expires_on: '2030-01-01', issuer: 'CA' }]
const unverified = { license_type: 'RN', verified: false, verified_from: null, expire_at: null }
const verifications = { human_verified: true, id_verified: true, licenses: [unverified] }

it.each<[what: string, call: (oidc: OidcClient) => PromiseLike<unknown>, data: object, result: unknown]>([
  [
    'tokens and the user',
    ({ legacy }) => legacy.exchangeCode({ code: 'c' }),
    { ...legacyTokens, user },
    { ...legacyTokens, user },
  ],
  ['the userinfo', ({ legacy }) => legacy.userinfo('t'), info, info],
  ['the licenses', ({ legacy }) => legacy.licenses('t'), { licenses }, licenses],
  ['the verifications', ({ legacy }) => legacy.verifications('t'), { verifications }, verifications],
  ['refreshed tokens', ({ legacy }) => legacy.refresh('r'), { tokens: legacyTokens }, legacyTokens],
])('returns %s of the legacy sign-on in strict mode, without a warning', async (_, call, data, result) => {
  const { oidc, warnings } = strictSignIn({ success: true, data, error: null }, 'others')

  expect(await call(oidc)).toEqual(result)
  expect(warnings).toEqual([])
})

// Errors

it.each([
  ['an error', errorResponse(404, 'not_found'), { code: 'not_found', details: {} }],
  [
    'an error with extra members',
    errorResponse(409, 'already_decided', { status: 'APPROVED' }),
    { code: 'already_decided', details: { status: 'APPROVED' } },
  ],
])('reads %s of the verification API', async (_, response, facts) => {
  service.respondTo('GET /api/v2/session/sess_1', response)

  expect(await thrownBy(strictClients().client.sessions.retrieve('sess_1'))).toMatchObject(facts)
})

it('reads an error of the organization API with the errors of the fields', async () => {
  const error = { code: 'invalid_request', message: 'Check the fields.' }
  const body = { success: false, error, data: { errors: { invite: 'is not known' } } }
  service.respondTo('POST /api/sdk/members', () => Response.json(body, { status: 400 }))

  const thrown = await thrownBy(strictClients().org.members.add({ members: [{ email: 'ada@example.com' }] }))

  expect(thrown).toMatchObject({ code: 'invalid_request', fieldErrors: { invite: 'is not known' } })
})

it.each([
  ['without an envelope', { error: 'invalid_grant', error_description: 'It was used.' }],
  [
    'in the envelope',
    { success: false, data: null, error: { code: 'invalid_grant', message: 'It was used.' } },
  ],
])('reads an error of the token endpoint %s', async (_, body) => {
  const { client, token } = issuer()
  token.respondWith(json(body, 400))

  expect(await thrownBy(client().refresh('r_0_0123456789'))).toMatchObject({
    status: 400,
    code: 'invalid_grant',
  })
})

// Webhooks

const types = ['approved', 'declined', 'in_review', 'abandoned', 'expired'].map(
  (name) => `verification.${name}`,
)

it.each([
  ...types.map((type): [string, object] => [type, anEvent({ type })]),
  ...types.map((type): [string, object] => [
    `${type} as a test event`,
    anEvent({ type, test: true, session_id: 'sess_test_1' }),
  ]),
  ['an event with every check', anEvent({ decision: aDecision({ vendor_data: 'user-42' }) })],
  ['an event with null values', anEvent({ vendor_data: null, decision: null })],
  [
    'an event in review',
    anEvent({ status: 'IN_REVIEW', decision: pendingDecision({ status: 'IN_REVIEW' }) }),
  ],
  [
    'an event without the optional fields',
    { event_id: 'evt_1', type: 'verification.expired', session_id: 'sess_1' },
  ],
])('returns %s as it was signed', async (_, event) => {
  const undefinedFields = Object.fromEntries(Object.keys(anEvent()).map((name) => [name, undefined]))
  const delivery = await aDelivery({ ...undefinedFields, ...event })

  expect(await verifyWebhook({ ...delivery, secret, now: clockAt(signedAt) })).toEqual(event)
})
