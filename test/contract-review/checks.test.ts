// Base64: cspell:ignore QUJD

import { expect, expectTypeOf } from 'vitest'
import {
  type AgeData,
  type AgeParams,
  accountAgeThresholds,
  assertPassed,
  type CheckType,
  type CombinedResult,
  type CredentialData,
  type FaceMatchData,
  findCheck,
  type IdDocumentFields,
  type IdVerificationData,
  type LivenessData,
  type LocationData,
  type LocationParams,
  type StandaloneResult,
} from '../../src/index.ts'
import { billableChecks, type CheckResult, holder, nurse } from '../emulator/support/checks.ts'
import { form, photo, photoBase64, photoDataUrl } from '../emulator/support/images.ts'
import { type Check, inProcess } from '../emulator/support/service.ts'
import { sessionAt } from '../emulator/support/session-at.ts'
import {
  ageCheck,
  combined,
  credentialCheck,
  faceMatchCheck,
  idCheck,
  images,
  livenessCheck,
  locationCheck,
  standalone,
} from '../support/fixtures.ts'
import { operations } from '../support/operations.ts'
import { ok } from '../support/scripted-service.ts'
import { formOf } from '../support/sent-request.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { documentedCalls, otherThan } from './documented-calls.ts'
import { statement, statements } from './statement.ts'

// Checks: sections 2.3, 2.5, 3.2, 4.3 and 4.6 of the contract.

const { service, received, rejected, failed, sent, strictClients } = documentedCalls()

const checkOf = {
  id_verification: idCheck,
  liveness: livenessCheck,
  face_match: faceMatchCheck,
  age: ageCheck,
  credential: credentialCheck,
  location: locationCheck,
}

const methodOf: Readonly<Record<CheckType, string>> = {
  id_verification: 'checks.idVerification',
  liveness: 'checks.liveness',
  face_match: 'checks.faceMatch',
  age: 'checks.age',
  credential: 'checks.credential',
  location: 'checks.location',
}

const types = ['id_verification', 'liveness', 'face_match', 'age', 'credential', 'location'] as const
const statuses = ['pending', 'running', 'passed', 'failed', 'review'] as const

/** Sends a check to an emulator. */
const emulated = async (path: string, body: object, options = {}) =>
  (await inProcess(options).post<CheckResult>(`/api/v2/${path}`, body)).data

// 2.3, the fields of a check

statements(
  '2.3',
  types.map((type) => [type] as const),
  (type) => `${type} is a type of check`,
  async (type) => {
    const emulatedService = inProcess({ workflows: [{ id: 'wf', name: 'One', features: [type] }] })
    const id = await sessionAt(emulatedService, 'APPROVED', { workflow_id: 'wf' })

    const result = await received(methodOf[type], standalone(checkOf[type]()))

    expect(result).toMatchObject({ check: { type } })
    expect((await emulatedService.decisionOf(id)).checks).toMatchObject([{ type, status: 'passed' }])
    expectTypeOf<CheckType>().toEqualTypeOf<(typeof types)[number]>()
  },
)

statements(
  '2.3',
  statuses.map((status) => [status] as const),
  (status) => `${status} is a status of a check`,
  async (status) => {
    const result = standalone(livenessCheck({ status }))

    expect(await received('checks.liveness', result)).toEqual(result)
  },
)

statements(
  '2.3',
  [
    ['type', 'string'],
    ['status', 'string'],
  ] as const,
  (field, type) => `the ${field} of a check is a ${type}`,
  async (field, type) => {
    const result = { ...standalone(livenessCheck()), check: livenessCheck({ [field]: otherThan[type] }) }

    expect(await rejected('checks.liveness', result)).toMatchObject({ code: 'invalid_response' })
  },
)

statement('2.3', 'the score of a check is a number', async () => {
  const result = standalone(livenessCheck({ score: 0.25 }))

  expect(await received('checks.liveness', result)).toEqual(result)
  expect(await rejected('checks.liveness', standalone(livenessCheck({ score: 'high' })))).toMatchObject({
    code: 'invalid_response',
  })
})

statement('2.3', 'the score of a check is optional, and absent for age', async () => {
  const { check } = await emulated('age-verification', { dob: '1990-04-12', bands: [18] })

  expect(check).not.toHaveProperty('score')
  expect(await received('checks.age', standalone(ageCheck()))).toEqual(standalone(ageCheck()))
})

statements(
  '2.3',
  [
    ['null', null],
    ['an object with a message', { message: 'The image is blurred.' }],
    ['an object with members that are not shown', { message: 'Blurred.', field: 'front_image' }],
  ],
  (what) => `the error of a check may be ${what}`,
  async (_, error) => {
    const result = standalone(livenessCheck({ status: 'failed', error }))

    expect(await received('checks.liveness', result)).toEqual(result)
  },
)

statement('2.3', 'the emulator gives a failed check an error with a message', async () => {
  const { check } = await emulated('liveness', { image: photoBase64 }, { outcomes: { liveness: 'failed' } })

  expect(check.error).toMatchObject({ message: expect.any(String) })
})

/** By type of check: each member of `data`, a value that is not in the fixtures, and its type. */
const members = [
  ['id_verification', 'fields.full_name', 'Grace Hopper', 'string'],
  ['id_verification', 'fields.document_number', 'P-1', 'string'],
  ['id_verification', 'fields.date_of_birth', '1906-12-09', 'string'],
  ['id_verification', 'fields.date_of_expiry', '2030-12-31', 'string'],
  ['id_verification', 'fields.issuing_state', 'NY', 'string'],
  ['id_verification', 'fields.country', 'USA', 'string'],
  ['id_verification', 'fields.document_type', 'id_card', 'string'],
  ['id_verification', 'portrait', 'QUJD', 'string'],
  ['id_verification', 'dob', '1906-12-09', 'string'],
  ['id_verification', 'authenticity.score', 0.5, 'number'],
  ['liveness', 'live_score', 0.5, 'number'],
  ['liveness', 'result', 'replay', 'string'],
  ['face_match', 'similarity', 0.5, 'number'],
  ['face_match', 'threshold', 0.9, 'number'],
  ['age', 'age', 17, 'number'],
  ['age', 'dob', '2008-05-17', 'string'],
  ['credential', 'match', false, 'boolean'],
  ['credential', 'mode', 'verify', 'string'],
  ['credential', 'license.license_number', 'A.1-2', 'string'],
  ['credential', 'license.status', 'expired', 'string'],
  ['credential', 'license.issued_at', '2001-01-01', 'string'],
  ['credential', 'license.expires_at', '2031-01-01', 'string'],
  ['credential', 'license.specialty', 'Anaesthesia', 'string'],
  ['location', 'latitude', -1.5, 'number'],
  ['location', 'longitude', 170.25, 'number'],
  ['location', 'accuracy', 3, 'number'],
  ['location', 'source', 'gps', 'string'],
  ['location', 'captured_at', '2026-02-01T00:00:00Z', 'string'],
  ['location', 'expected_latitude', -1, 'number'],
  ['location', 'expected_longitude', 170, 'number'],
  ['location', 'distance_m', 10.5, 'number'],
  ['location', 'radius_m', 20, 'number'],
  ['location', 'match', false, 'boolean'],
] as const

const withMember = (data: object, path: string, value: unknown): object => {
  const [name = '', ...rest] = path.split('.')
  const inner = (data as Record<string, object>)[name] ?? {}
  return { ...data, [name]: rest.length === 0 ? value : withMember(inner, rest.join('.'), value) }
}

const memberOf = (data: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], data)

/** A request whose emulated result has every member of the type's `data`. */
const complete: Readonly<Record<CheckType, readonly [path: string, body: object]>> = {
  id_verification: ['id-verification', { front_image: photoBase64 }],
  liveness: ['liveness', { image: photoBase64 }],
  face_match: ['face-match', { image1: photoBase64, image2: photoBase64 }],
  age: ['age-verification', { dob: '1990-04-12', bands: [18] }],
  credential: ['credential-verification', { ...nurse, full_name: holder }],
  location: [
    'location',
    { latitude: 1, longitude: 2, accuracy: 3, expected_latitude: 1, expected_longitude: 2, radius_m: 5 },
  ],
}

statements(
  '2.3',
  members,
  (type, path, _, kind) => `the data of a ${type} check has ${path}, a ${kind}`,
  async (type, path, value, kind) => {
    const check = checkOf[type]()
    const result = standalone({ ...check, data: withMember(check.data, path, value) } as Check)
    const [endpoint, body] = complete[type]

    expect(await received(methodOf[type], result)).toEqual(result)
    expect(typeof memberOf((await emulated(endpoint, body)).check.data, path)).toBe(kind)
  },
)

statement('2.3', 'the data of each type of check is typed with the documented members', () => {
  expectTypeOf<keyof IdVerificationData>().toEqualTypeOf<'fields' | 'portrait' | 'dob' | 'authenticity'>()
  expectTypeOf<keyof IdDocumentFields>().toEqualTypeOf<
    | 'full_name'
    | 'document_number'
    | 'date_of_birth'
    | 'date_of_expiry'
    | 'issuing_state'
    | 'country'
    | 'document_type'
  >()
  expectTypeOf<keyof LivenessData>().toEqualTypeOf<'live_score' | 'result'>()
  expectTypeOf<keyof FaceMatchData>().toEqualTypeOf<'similarity' | 'threshold'>()
  expectTypeOf<keyof AgeData>().toEqualTypeOf<'age' | 'dob' | 'bands'>()
  expectTypeOf<keyof CredentialData>().toEqualTypeOf<'match' | 'mode' | 'found' | 'license'>()
  expectTypeOf<keyof LocationData>().toEqualTypeOf<
    | 'latitude'
    | 'longitude'
    | 'accuracy'
    | 'source'
    | 'captured_at'
    | 'expected_latitude'
    | 'expected_longitude'
    | 'distance_m'
    | 'radius_m'
    | 'match'
  >()
  expectTypeOf<NonNullable<LivenessData['live_score']>>().toEqualTypeOf<number>()
  expectTypeOf<NonNullable<FaceMatchData['similarity']>>().toEqualTypeOf<number>()
  expectTypeOf<NonNullable<LocationData['match']>>().toEqualTypeOf<boolean>()
})

statements(
  '2.3',
  [
    ['verified true', { is_18_plus: { verified: true, min_age: 18 } }],
    ['verified false', { is_18_plus: { verified: false, min_age: 18 } }],
    ['verified null and the error unknown_band', { elder: { verified: null, error: 'unknown_band' } }],
  ],
  (what) => `the result of an age band has ${what}`,
  async (_, bands) => {
    const result = standalone(ageCheck({ data: { age: 20, dob: '2005-05-17', bands } }))

    expect(await received('checks.age', result)).toEqual(result)
  },
)

statement('2.3', 'the emulator returns each age band with verified and min_age', async () => {
  const { check } = await emulated('age-verification', { dob: '2006-04-12', bands: ['is_18_plus', '21+'] })

  expect(check.data.bands).toEqual({
    is_18_plus: { verified: true, min_age: 18 },
    '21+': { verified: false, min_age: 21 },
  })
})

statement('2.3', 'an unparsable age band gives verified null and unknown_band', async () => {
  const { check } = await emulated('age-verification', { dob: '1990-04-12', bands: ['adult'] })

  expect(check.data.bands).toEqual({ adult: { verified: null, error: 'unknown_band' } })
})

statements(
  '2.3',
  [
    ['match null', { mode: 'search', found: true, match: null }],
    ['match true', { mode: 'verify', match: true }],
    ['match false', { mode: 'verify', match: false }],
    ['the mode search with found true', { mode: 'search', found: true, match: null }],
    ['the mode search with found false', { mode: 'search', found: false, match: null }],
    ['an account mode, whose name is not shown', { mode: 'account', match: true }],
  ],
  (what) => `the data of a credential check may have ${what}`,
  async (_, data) => {
    const result = standalone(credentialCheck({ data }))

    expect(await received('checks.credential', result)).toEqual(result)
  },
)

statements(
  '2.3',
  [
    ['null', null],
    ['true', true],
  ],
  (what) => `the match of a location may be ${what}`,
  async (_, match) => {
    const result = standalone(locationCheck({ data: { ...locationCheck().data, match } }))

    expect(await received('checks.location', result)).toEqual(result)
  },
)

statements(
  '2.3',
  [
    ['a text field of an ID', 'id_verification', 'fields.full_name', { first: 'Ada' }],
    ['a field of a license', 'credential', 'license.specialty', ['Emergency']],
    ['a coordinate', 'location', 'latitude', '1.0'],
  ],
  (what) => `${what} of an unexpected type hides no result, because its type is not decisive`,
  async (_, type, path, value) => {
    const check = checkOf[type]()
    const result = standalone({ ...check, data: withMember(check.data, path, value) } as Check)
    const [endpoint] = complete[type]
    service.respondTo(`POST /api/v2/${endpoint}`, ok(result))

    const call = operations.find(({ name }) => name === methodOf[type])?.call

    expect(await call?.(strictClients().client)).toEqual(result)
  },
)

statement('2.3', 'the threshold of a face match is about 0.95 by default', async () => {
  const { check } = await emulated('face-match', { image1: photoBase64, image2: photoBase64 })

  expect(check.data.threshold).toBe(0.95)
})

statement('2.3', 'the source of a location is gps', async () => {
  expect((await emulated('location', { latitude: 1, longitude: 2 })).check.data.source).toBe('gps')
})

statement('2.3', 'captured_at of a location is an ISO 8601 timestamp', async () => {
  const { check } = await emulated('location', { latitude: 1, longitude: 2 })

  expect(check.data.captured_at).toMatch(/^\d{4}-\d\d-\d\dT.+Z$/)
})

statement('2.3', 'the portrait of an ID is base64', async () => {
  const { check } = await emulated('id-verification', { front_image: photoBase64 })

  expect(Buffer.from(String(check.data.portrait), 'base64').byteLength).toBeGreaterThan(0)
})

// 2.5, results

statements(
  '2.5',
  types.map((type) => [type] as const),
  (type) => `the result of a standalone ${type} check is session_id, status and the check`,
  async (type) => {
    const [endpoint, body] = complete[type]

    const data = await emulated(endpoint, body)

    expect(Object.keys(data).sort()).toEqual(['check', 'session_id', 'status'])
    expect(data).toMatchObject({ session_id: expect.any(String), status: data.check.status, check: { type } })
  },
)

statements(
  '2.5',
  [
    ['session_id', 7],
    ['status', 7],
    ['check', []],
  ],
  (field) => `a standalone result with another type of ${field} is rejected in strict mode`,
  async (field, value) => {
    const result = { ...standalone(livenessCheck()), [field]: value }

    expect(await rejected('checks.liveness', result)).toMatchObject({ code: 'invalid_response' })
    expectTypeOf<keyof StandaloneResult>().toEqualTypeOf<'session_id' | 'status' | 'check'>()
  },
)

const kyc = { ...nurse, front_image: photoBase64, selfie: photoBase64 }

statement('2.5', 'the combined result is session_id, status, identity and checks', async () => {
  const data = await emulated('kyc-credential', kyc)

  expect(Object.keys(data).sort()).toEqual(['checks', 'identity', 'session_id', 'status'])
  expect(await received('checks.kycCredential', combined())).toEqual(combined())
  expectTypeOf<keyof CombinedResult>().toEqualTypeOf<'session_id' | 'status' | 'identity' | 'checks'>()
})

statement('2.5', 'the identity of the combined result has a name and a date of birth', async () => {
  expect(await emulated('kyc-credential', kyc)).toMatchObject({
    identity: { name: holder, dob: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
  })
})

// 3.2, states of checks

statement('3.2', 'a check starts as pending', async () => {
  const { decisionOf, session } = inProcess()

  const { checks } = await decisionOf((await session()).session_id)

  expect(checks.map(({ status }) => status)).toEqual(['pending', 'pending', 'pending'])
})

statement('3.2', 'a pending check moves to running', async () => {
  const { decisionOf, emulator, session } = inProcess()
  const { session_id } = await session()

  emulator.sessions.start(session_id, { checks: { liveness: 'running' } })

  expect(findCheck((await decisionOf(session_id)) as never, 'liveness')?.status).toBe('running')
})

statements(
  '3.2',
  [['passed'], ['failed'], ['review']] as const,
  (end) => `a running check moves to ${end}`,
  async (end) => {
    const { decisionOf, emulator, session } = inProcess()
    const { session_id } = await session()
    emulator.sessions.start(session_id, { checks: { liveness: 'running' } })

    await emulator.sessions.complete(session_id, 'IN_REVIEW', { checks: { liveness: end } })

    expect(findCheck((await decisionOf(session_id)) as never, 'liveness')?.status).toBe(end)
  },
)

statements(
  '3.2',
  [
    ['missing coordinates', {}],
    ['a missing latitude', { longitude: 2 }],
    ['a missing longitude', { latitude: 2 }],
    ['coordinates that are null', { latitude: null, longitude: null }],
    ['an expected point only', { expected_latitude: 1, expected_longitude: 2, radius_m: 5 }],
  ],
  (what) => `a location with ${what} is failed, never passed and never in review`,
  async (_, body) => {
    expect(await emulated('location', body)).toMatchObject({ status: 'failed', check: { status: 'failed' } })
  },
)

// 4.3, how images and keys are sent

const png = { filename: 'front_image.png', type: 'image/png', bytes: images.png }
const named = (name: string) => ({ ...png, filename: `${name}.png` })
const license = { license_state: 'CA', license_number: 'RN-1', license_type: 'Registered Nurse' }
const encoded = Buffer.from(images.png).toString('base64')

/** By method: the path, the image fields of a call, the other fields, and a result. */
const withImages = [
  ['idVerification', 'id-verification', ['front_image', 'back_image'], {}, standalone(idCheck())],
  ['liveness', 'liveness', ['image'], {}, standalone(livenessCheck())],
  ['faceMatch', 'face-match', ['image1', 'image2'], {}, standalone(faceMatchCheck())],
  ['kycCredential', 'kyc-credential', ['front_image', 'back_image', 'selfie'], license, combined()],
] as const

const fill = <Value>(names: readonly string[], value: (name: string) => Value): Record<string, Value> =>
  Object.fromEntries(names.map((name) => [name, value(name)]))

statements(
  '4.3',
  withImages,
  (method, path, names) =>
    `checks.${method} sends ${names.join(', ')} to ${path} as files of a multipart form`,
  async (method, path, names, fields, result) => {
    service.respondTo(`POST /api/v2/${path}`, ok(result))

    const request = await sent(({ client }) =>
      client.checks[method]({ ...fields, ...fill(names, () => images.png) } as never),
    )

    expect(request.headers.get('content-type')).toMatch(/^multipart\/form-data/)
    expect(await formOf(request)).toEqual({ ...fields, ...fill(names, named) })
  },
)

statements(
  '4.3',
  withImages,
  (method, _, names) =>
    `checks.${method} can send ${names.join(', ')} as base64 in JSON, under the same names`,
  async (method, path, names, fields, result) => {
    service.respondTo(`POST /api/v2/${path}`, ok(result))

    const request = await sent(({ client }) =>
      client.checks[method]({ ...fields, ...fill(names, () => images.png) } as never, { encoding: 'json' }),
    )

    expect(request.headers.get('content-type')).toBe('application/json')
    expect(await request.json()).toEqual({ ...fields, ...fill(names, () => encoded) })
  },
)

statements(
  '4.3',
  withImages.flatMap(([, path, names]) =>
    (['files', 'base64', 'data URLs'] as const).map((kind) => [path, kind, names] as const),
  ),
  (path, kind) => `the emulator accepts images for ${path} as ${kind}`,
  async (path, kind, names) => {
    const fields = path === 'kyc-credential' ? nurse : {}
    const files = form({ ...fields, ...fill(names, () => photo) })
    const json = { ...fields, ...fill(names, () => (kind === 'base64' ? photoBase64 : photoDataUrl)) }

    const response = await inProcess().call(
      'POST',
      `/api/v2/${path}`,
      kind === 'files' ? { body: files } : { json },
    )

    expect(response).toMatchObject({ status: 200, data: { status: 'passed' } })
  },
)

/** By method: its path and its documented result. */
const billable = [
  ['idVerification', { front_image: images.png }, 'id-verification', standalone(idCheck())],
  ['liveness', { image: images.png }, 'liveness', standalone(livenessCheck())],
  ['faceMatch', { image1: images.png, image2: images.png }, 'face-match', standalone(faceMatchCheck())],
  ['age', { dob: '2001-05-17', bands: [18] }, 'age-verification', standalone(ageCheck())],
  ['credential', license, 'credential-verification', standalone(credentialCheck())],
  [
    'kycCredential',
    { ...license, front_image: images.png, selfie: images.png },
    'kyc-credential',
    combined(),
  ],
  ['location', { latitude: 1, longitude: 2 }, 'location', standalone(locationCheck())],
] as const

statements(
  '4.3',
  billable,
  (method, _, path) => `checks.${method} is POST /api/v2/${path}, with an Idempotency-Key`,
  async (method, params, path, result) => {
    service.respondTo(`POST /api/v2/${path}`, ok(result))

    const request = await sent(({ client }) =>
      client.checks[method](params as never, { idempotencyKey: 'order-1' }),
    )

    expect(request.headers.get('idempotency-key')).toBe('order-1')
  },
)

statements(
  '4.3',
  billableChecks,
  (path) => `the emulator charges POST ${path} once for one Idempotency-Key`,
  async (path, body) => {
    const { emulator, post } = inProcess()

    const first = await post(path, body, { key: 'order-1' })
    const second = await post(path, body, { key: 'order-1' })

    expect(second.data).toEqual(first.data)
    expect(emulator.ledger).toHaveLength(1)
  },
)

// 4.3, required and optional fields

statements(
  '4.3',
  [
    ['id-verification', { front_image: photoBase64 }, 'front_image'],
    ['liveness', { image: photoBase64 }, 'image'],
    ['face-match', { image1: photoBase64, image2: photoBase64 }, 'image1'],
    ['face-match', { image1: photoBase64, image2: photoBase64 }, 'image2'],
    ['age-verification', { dob: '1990-04-12', bands: [18] }, 'dob'],
    ['age-verification', { dob: '1990-04-12', bands: [18] }, 'bands'],
    ['kyc-credential', kyc, 'front_image'],
    ['kyc-credential', kyc, 'selfie'],
    ['kyc-credential', kyc, 'license_type'],
    ['kyc-credential', kyc, 'license_state'],
    ['kyc-credential', kyc, 'license_number'],
  ] as const,
  (path, _, field) => `${path} requires ${field}`,
  async (path, body, field) => {
    const { [field as never]: _, ...rest } = body
    const operation = billable.find((row) => row[2] === path)?.[0] ?? expect.fail(path)

    const response = await inProcess().post(`/api/v2/${path}`, rest)
    const thrown = await thrownBy(strictClients().client.checks[operation](rest as never))

    expect(response).toMatchObject({ status: 400, error: { code: 'validation_error' } })
    expect(response.error?.message).toContain(field)
    expect(thrown).toMatchObject({ code: 'invalid_params', message: expect.stringContaining(field) })
  },
)

statements(
  '4.3',
  [
    ['id-verification', { front_image: photoBase64, back_image: photoBase64 }, 'back_image'],
    ['kyc-credential', { ...kyc, back_image: photoBase64 }, 'back_image'],
    ['kyc-credential', { ...kyc, npi: '1234567893' }, 'npi'],
    [
      'location',
      { latitude: 1, longitude: 2, expected_latitude: 1, expected_longitude: 2 },
      'expected_latitude',
    ],
    ['location', { latitude: 1, longitude: 2, radius_m: 1 }, 'radius_m'],
  ] as const,
  (path, _, field) => `${path} takes the optional ${field}`,
  async (path, body, field) => {
    expect((await inProcess().post(`/api/v2/${path}`, body)).status).toBe(200)
    expect(body).toHaveProperty(field)
  },
)

statements(
  '4.3',
  [
    [
      'provider_code',
      { license_state: 'CA', license_number: 'RN-482913', provider_code: 'Registered Nurse' },
    ],
    ['provider_code', { license_state: 'CA', license_number: 'RN-482913', provider_code: 'EMU-CA-NURSING' }],
    ['state', { state: 'CA', license_number: 'RN-482913', license_type: 'Registered Nurse' }],
    ['license_no', { license_state: 'CA', license_no: 'RN-482913', license_type: 'Registered Nurse' }],
  ] as const,
  (alias, fields) => `kyc-credential accepts the alias ${alias}: ${Object.values(fields).join(' ')}`,
  async (_, fields) => {
    const { data, status } = await inProcess().post<{ status: string }>('/api/v2/kyc-credential', {
      front_image: photoBase64,
      selfie: photoBase64,
      ...fields,
    })

    expect([status, data?.status]).toEqual([200, 'passed'])
  },
)

// 4.3, documented statuses

const documentedStatuses = [
  ['id-verification', 'checks.idVerification', [400, 401, 422, 429]],
  ['liveness', 'checks.liveness', [400, 401, 422]],
  ['face-match', 'checks.faceMatch', [400, 401]],
  ['age-verification', 'checks.age', [400, 401]],
  ['credential-verification', 'checks.credential', [400, 401, 404]],
  ['kyc-credential', 'checks.kycCredential', [400, 401]],
] as const

const classOf: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  404: 'NotFoundError',
  422: 'UnprocessableError',
  429: 'RateLimitError',
}

const codeOf = {
  400: 'validation_error',
  401: 'invalid_api_key',
  404: 'license_not_found',
  422: 'unprocessable',
  429: 'rate_limited',
} as const

statements(
  '4.3',
  documentedStatuses.flatMap(([path, method, list]) => list.map((status) => [path, method, status] as const)),
  (path, _, status) => `${path} may return ${status}, which is thrown as its class`,
  async (path, method, status) => {
    const code = codeOf[status]
    const { emulator, post } = inProcess()
    emulator.faults.add({ match: `POST /api/v2/${path}`, status, code })

    expect(await failed(method, status, code)).toMatchObject({ status, code, name: classOf[status] })
    expect(await post(`/api/v2/${path}`, {})).toMatchObject({ status, error: { code } })
  },
)

// 4.3, behavior of the checks

statement('4.3', 'ID verification reads the document and judges its authenticity', async () => {
  const { check } = await emulated('id-verification', { front_image: photoBase64 })

  expect(check.data).toMatchObject({
    fields: { full_name: expect.any(String) },
    authenticity: { score: expect.any(Number) },
  })
})

statements(
  '4.3',
  [
    [1, 'passed'],
    [0.9999, 'failed'],
    [0, 'failed'],
  ] as const,
  (live_score, status) => `liveness is ${status} with a live_score of ${live_score}`,
  async (live_score, status) => {
    const outcomes = { liveness: { data: { live_score } } }

    expect(await emulated('liveness', { image: photoBase64 }, { outcomes })).toMatchObject({ status })
  },
)

statement('4.3', 'a selfie that does not show a live person fails as a result, not as an error', async () => {
  const data = await emulated('liveness', { image: photoBase64 }, { outcomes: { liveness: 'failed' } })

  expect(data).toMatchObject({ status: 'failed', check: { status: 'failed' } })
})

statement('4.3', 'an image of a check is sent byte for byte, at full quality', async () => {
  service.respondTo('POST /api/v2/liveness', ok(standalone(livenessCheck())))

  const request = await sent(({ client }) => client.checks.liveness({ image: images.jpeg }))

  expect(await formOf(request)).toMatchObject({ image: { bytes: images.jpeg } })
})

statements(
  '4.3',
  [
    [0.95, 0.95, 'passed'],
    [0.99, 0.95, 'passed'],
    [0.949, 0.95, 'failed'],
  ] as const,
  (similarity, threshold, status) =>
    `a face match with similarity ${similarity} and threshold ${threshold} is ${status}`,
  async (similarity, threshold, status) => {
    const outcomes = { face_match: { data: { similarity, threshold } } }

    const data = await emulated('face-match', { image1: photoBase64, image2: photoBase64 }, { outcomes })

    expect(data).toMatchObject({ status })
  },
)

statement('4.3', 'a face match is symmetric', async () => {
  const other = Buffer.from('another face').toString('base64')

  const there = await emulated('face-match', { image1: photoBase64, image2: other })
  const back = await emulated('face-match', { image1: other, image2: photoBase64 })

  expect(there.check.data).toEqual(back.check.data)
})

statement('4.3', 'a face match does not prove liveness, so its data has no live_score', async () => {
  const { check } = await emulated('face-match', { image1: photoBase64, image2: photoBase64 })

  expect(check.data).not.toHaveProperty('live_score')
  expectTypeOf<FaceMatchData>().not.toHaveProperty('live_score')
})

statement(
  '4.3',
  'the combined check runs ID verification, liveness, face match and license lookup',
  async () => {
    const { data } = await inProcess().post<{ checks: Check[] }>('/api/v2/kyc-credential', kyc)

    expect(data.checks.map(({ type }) => type)).toEqual([
      'id_verification',
      'liveness',
      'face_match',
      'credential',
    ])
  },
)

statement(
  '4.3',
  'the combined check matches the license with the name on the ID, never with a name that is sent',
  async () => {
    const outcomes = { id_verification: { data: { fields: { full_name: 'Robin Example' } } } }

    const { data } = await inProcess({ outcomes }).post<{ checks: Check[] }>('/api/v2/kyc-credential', {
      ...kyc,
      full_name: holder,
    })

    expect(data.checks.at(-1)).toMatchObject({ type: 'credential', status: 'failed', data: { match: false } })
  },
)

statement('4.3', 'a combined check passes only if each of its checks passed', () => {
  const result = { ...combined(), checks: [idCheck(), livenessCheck({ status: 'failed' })] }

  expect(() => assertPassed(result as CombinedResult)).toThrow(/liveness/)
})

// 4.3, age rules

statements(
  '4.3',
  [[18], ['18'], ['18+'], ['is_18_plus']] as const,
  (band) => `the age band ${JSON.stringify(band)} means 18 years, and is sent as it is`,
  async (band) => {
    const bands = { [String(band)]: { verified: true, min_age: 18 } }
    service.respondTo('POST /api/v2/age-verification', ok(standalone(ageCheck())))

    const request = await sent(({ client }) => client.checks.age({ dob: '2001-05-17', bands: [band] }))
    const { check } = await emulated('age-verification', { dob: '2001-05-17', bands: [band] })

    expect(await request.json()).toEqual({ dob: '2001-05-17', bands: [band] })
    expect(check.data.bands).toEqual(bands)
  },
)

statement('4.3', 'the bands of an age check are strings or integers', () => {
  expectTypeOf<string>().toExtend<AgeParams['bands'][number]>()
  expectTypeOf<number>().toExtend<AgeParams['bands'][number]>()
  expectTypeOf<AgeParams['dob']>().toEqualTypeOf<string>()
})

statement('4.3', 'an empty list of bands means is_18_plus', async () => {
  const { check } = await emulated('age-verification', { dob: '1990-04-12', bands: [] })

  expect(Object.keys(check.data.bands as object)).toEqual(['is_18_plus'])
})

statement(
  '4.3',
  'YYYY-MM-DD is preferred for a date of birth, and another format is left to the service',
  async () => {
    service.respondTo('POST /api/v2/age-verification', ok(standalone(ageCheck())))

    const request = await sent(({ client }) => client.checks.age({ dob: '17 May 2001', bands: [18] }))

    expect(await request.json()).toMatchObject({ dob: '17 May 2001' })
    expect(await emulated('age-verification', { dob: '1990-04-12', bands: [18] })).toMatchObject({
      status: 'passed',
    })
  },
)

statements(
  '4.3',
  [
    [[18, 21], 'passed'],
    [[18, 65], 'failed'],
    [[18, 'adult'], 'failed'],
  ] as const,
  (bands, status) => `an age check of ${bands.join(' and ')} is ${status} for a person of 35`,
  async (bands, status) => {
    expect(await emulated('age-verification', { dob: '1990-04-12', bands })).toMatchObject({ status })
  },
)

statement('4.3', 'with a date of birth, every band has a result', async () => {
  const { check } = await emulated('age-verification', { dob: '1990-04-12', bands: [1, 17, 33, 99] })

  expect(check.data.bands).toMatchObject({
    1: { verified: true },
    17: { verified: true },
    33: { verified: true },
    99: { verified: false },
  })
})

statement('4.3', 'account mode knows the thresholds 16, 18, 21, 30 and 65 only', () => {
  expect(accountAgeThresholds).toEqual([16, 18, 21, 30, 65])
})

// 4.3, location rules

const here = { latitude: 52.52, longitude: 13.405 }
const near = { expected_latitude: 52.521, expected_longitude: 13.405 }

statements(
  '4.3',
  [
    ['an expected point and a radius around it', { ...near, radius_m: 150 }, 'passed', true],
    ['an expected point and a radius that is too small', { ...near, radius_m: 100 }, 'failed', false],
    ['an expected point without a radius', near, 'passed', null],
    ['no expected point', {}, 'passed', undefined],
  ],
  (what, _, status, match) =>
    `a location with ${what} is ${status}, with match ${match ?? (match === null ? 'null' : 'absent')}`,
  async (_, expected, status, match) => {
    const data = await emulated('location', { ...here, ...expected })

    expect(data.status).toBe(status)
    expect(data.check.data.match).toBe(match)
    expect('match' in data.check.data).toBe(match !== undefined)
  },
)

statement('4.3', 'a location outside the radius has an error that states the distance', async () => {
  const { check } = await emulated('location', { ...here, ...near, radius_m: 100 })

  expect(check.error?.message).toMatch(/111/)
})

statement('4.3', 'a location with an expected point and no radius reports distance_m', async () => {
  const { check } = await emulated('location', { ...here, ...near })

  expect(check.data.distance_m).toBeCloseTo(111.2, 0)
})

statement('4.3', 'a location without an expected point has no distance_m', async () => {
  expect((await emulated('location', here)).check.data).not.toHaveProperty('distance_m')
})

statement('4.3', 'a location without a fix fails for the reason permission_denied', async () => {
  const { check } = await emulated('location', {})

  expect(JSON.stringify(check.error)).toContain('permission_denied')
})

statement(
  '4.3',
  'a location without coordinates is sent, because it fails and cannot be skipped',
  async () => {
    service.respondTo('POST /api/v2/location', ok(standalone(locationCheck({ status: 'failed' }))))

    const request = await sent(({ client }) => client.checks.location())

    expect(await request.json()).toEqual({})
  },
)

statement('4.3', 'coordinates, accuracy and the radius of a location are numbers', async () => {
  for (const field of [
    'latitude',
    'longitude',
    'accuracy',
    'expected_latitude',
    'expected_longitude',
    'radius_m',
  ] as const) {
    const error = await thrownBy(strictClients().client.checks.location({ [field]: '1' } as never))
    expect(error).toMatchObject({ code: 'invalid_params', issues: [{ path: field }] })
    expectTypeOf<LocationParams[typeof field]>().extract<string>().toBeNever()
  }
})

statement('4.3', 'the result of a location check is data.check of type location', async () => {
  expect(await emulated('location', here)).toMatchObject({ check: { type: 'location' } })
})

// 4.6, operations that are named only by their path

statements(
  '4.6',
  [
    ['experimental.antispoof.check', 'POST', '/api/v2/antispoof'],
    ['experimental.antispoof.identity', 'POST', '/api/v2/antispoof/identity'],
    ['experimental.faceUniqueness.check', 'POST', '/api/v2/face-uniqueness'],
    ['experimental.faceUniqueness.delete', 'DELETE', '/api/v2/face-uniqueness/0b7c2a'],
  ],
  (name, method, path) => `${name} is ${method} ${path}`,
  async (name, method, path) => {
    await received(name, { any: ['shape', 1, null] })

    expect(service.lines).toEqual([`${method} ${path}`])
  },
)

statements(
  '4.6',
  [
    ['experimental.antispoof.check'],
    ['experimental.antispoof.identity'],
    ['experimental.faceUniqueness.check'],
  ],
  (name) => `the response of ${name} is not shown, so any response is returned unchanged in strict mode`,
  async (name) => {
    const data = { human_score: 'high', nested: [{ a: null }] }

    expect(await received(name, data)).toEqual(data)
  },
)

statements(
  '4.6',
  [
    ['a single image', { image: photoBase64 }],
    ['a live burst', { frames: [photoBase64, photoBase64, photoBase64] }],
  ],
  (what) => `antispoof takes ${what} and returns a human_score`,
  async (_, body) => {
    const { data } = await inProcess().post('/api/v2/antispoof', body)

    expect(data).toMatchObject({ human_score: expect.any(Number) })
  },
)

statements(
  '4.6',
  [
    ['check', 'antispoof'],
    ['identity', 'antispoof/identity'],
  ] as const,
  (method) => `antispoof.${method} sends a single image as a file of a form`,
  async (method, path) => {
    service.respondTo(`POST /api/v2/${path}`, ok({ human_score: 1 }))

    const request = await sent(({ client }) => client.experimental.antispoof[method]({ image: images.png }))

    expect(await formOf(request)).toEqual({ image: named('image') })
  },
)

statement('4.6', 'antispoof sends a live burst of images', async () => {
  service.respondTo('POST /api/v2/antispoof', ok({ human_score: 1 }))
  const frames = [images.png, images.png, images.png]

  const request = await sent(({ client }) => client.experimental.antispoof.check({ frames }))

  expect(await request.json()).toEqual({ frames: [encoded, encoded, encoded] })
})

statement('4.6', 'antispoof identity returns the same uuid for the same person', async () => {
  const { post } = inProcess()
  const identify = async () => (await post<object>('/api/v2/antispoof/identity', { image: photoBase64 })).data

  expect(await identify()).toEqual(await identify())
  expect(Object.keys(await identify())).toContain('uuid')
})

statement('4.6', 'deleting a face from face uniqueness removes it', async () => {
  const { call, post } = inProcess()
  const { data } = await post<{ svc_uuid: string }>('/api/v2/face-uniqueness', { image: photoBase64 })
  const remove = () => call('DELETE', `/api/v2/face-uniqueness/${data.svc_uuid}`)

  expect((await remove()).status).toBe(200)
  expect((await remove()).status).toBe(404)
})

statement('4.6', 'other paths of the verification API are not shown, and can be requested', async () => {
  service.respondTo('GET /api/v2/usage', ok({ total: 3 }))

  const { client } = strictClients()

  expect(await client.request({ method: 'GET', path: '/api/v2/usage' })).toEqual({ total: 3 })
})
