import { expect, expectTypeOf } from 'vitest'
import {
  type ApiError,
  describeErrorCode,
  errorCatalog,
  isErrorCode,
  type KnownErrorCode,
} from '../../src/errors.ts'
import { photoBase64 } from '../emulator/support/images.ts'
import { members } from '../emulator/support/roster.ts'
import { inProcess } from '../emulator/support/service.ts'
import { signInAt } from '../emulator/support/sign-in.ts'
import { issuer, json } from '../oidc/issuer.ts'
import { errorResponse } from '../support/scripted-service.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { documentedCalls } from './documented-calls.ts'
import { catalog } from './error-codes.ts'
import { statement, statements } from './statement.ts'

// Errors: section 7 of the contract.

const { service, failed, strictClients } = documentedCalls()

/** One emulator for all codes. Each statement uses up the fault that it adds. */
const { call, emulator } = inProcess()

const entryOf = (code: string) => errorCatalog[code as KnownErrorCode]

const classes = [
  [400, 'BadRequestError'],
  [401, 'AuthenticationError'],
  [402, 'PaymentRequiredError'],
  [403, 'PermissionDeniedError'],
  [404, 'NotFoundError'],
  [409, 'ConflictError'],
  [410, 'GoneError'],
  [413, 'PayloadTooLargeError'],
  [422, 'UnprocessableError'],
  [423, 'LockedError'],
  [429, 'RateLimitError'],
  [500, 'ServerError'],
  [502, 'ServerError'],
  [503, 'ServerError'],
] as const

const classOf = new Map<number, string>(classes)

statement('7', 'the HTTP status selects the category, then error.code names the cause', async () => {
  const error = await failed('sessions.retrieve', 409, 'session_closed')

  expect(error).toMatchObject({ name: 'ConflictError', status: 409, code: 'session_closed' })
  expectTypeOf<ApiError['status']>().toEqualTypeOf<number>()
})

statements(
  '7',
  classes,
  (status, name) => `${status} is the category of ${name}`,
  async (status, name) => {
    emulator.faults.add({ match: 'sessions.list', status })

    expect(await failed('sessions.list', status, 'a_code')).toMatchObject({ status, name, code: 'a_code' })
    expect((await call('GET', '/api/v2/session')).status).toBe(status)
  },
)

statement('7', 'a 404 is the response to a resource of another project too', async () => {
  expect(await call('GET', '/api/v2/session/sess_of_another_project')).toMatchObject({
    status: 404,
    error: { code: 'not_found' },
  })
})

statements(
  '7',
  [[500], [502], [503], [504], [599]],
  (status) => `${status} is on the service’s side, so a read is retried with backoff`,
  async (status) => {
    service.respondTo(
      'GET /api/v2/session/sess_1',
      errorResponse(status, 'a_code'),
      errorResponse(404, 'not_found'),
    )
    const { client, waits } = strictClients()

    await thrownBy(client.sessions.retrieve('sess_1', { maxRetries: 1 }))

    expect(service.requests).toHaveLength(2)
    expect(waits).toHaveLength(1)
  },
)

statements(
  '7',
  [[500], [502], [503], [504], [599]],
  (status) => `${status} of a billed call is retried with backoff, under the same Idempotency-Key`,
  async (status) => {
    service.respondTo(
      'POST /api/v2/location',
      errorResponse(status, 'a_code'),
      errorResponse(400, 'validation_error'),
    )

    await thrownBy(strictClients().client.checks.location({}, { maxRetries: 1 }))

    const keys = service.requests.map(({ headers }) => headers.get('idempotency-key'))
    expect(keys).toEqual([expect.any(String), keys[0]])
  },
)

statements(
  '7',
  [[500], [502], [503], [504]],
  (status) => `an error with status ${status} is retryable`,
  async (status) => {
    expect(await failed('sessions.retrieve', status, 'a_code')).toMatchObject({ retryable: true })
  },
)

statements(
  '7',
  [
    [400, 'validation_error'],
    [401, 'invalid_api_key'],
    [404, 'not_found'],
    [422, 'unprocessable'],
    [429, 'rate_limited'],
    [500, 'internal_error'],
  ],
  (status, code) => `${status} ${code} is a core code of the verification API`,
  async (status, code) => {
    emulator.faults.add({ match: 'sessions.list', code })

    expect(entryOf(code).statuses).toEqual([status])
    expect(await call('GET', '/api/v2/session')).toMatchObject({ status, error: { code } })
  },
)

statement('7', 'internal_error is safe to retry, so even a session is created again', async () => {
  service.respondTo(
    'POST /api/v2/session',
    errorResponse(500, 'internal_error'),
    errorResponse(400, 'validation_error'),
  )

  await thrownBy(strictClients().client.sessions.create({}, { maxRetries: 1 }))

  expect(service.requests).toHaveLength(2)
})

// The catalog

/** The codes that the contract names elsewhere. */
const codesOutsideTheTable = [
  'already_active',
  'already_decided',
  'deactivated',
  'internal_error',
  'missing_identifier',
  'unprocessable',
  'validation_error',
]

statement('7', 'the catalog has all 147 rows of the contract, and the codes outside of them', () => {
  const codes = catalog.map(({ code }) => code)

  expect(codes).toHaveLength(147)
  expect(Object.keys(errorCatalog)).toEqual(expect.arrayContaining(codes))
  expect(Object.keys(errorCatalog).filter((code) => !codes.includes(code))).toEqual(codesOutsideTheTable)
})

/** The mark of a meaning that the contract does not give. */
const guessed = /guessed from the name/

statements(
  '7',
  catalog.map((row) => [row] as const),
  ({ code, statuses, meaning }) =>
    `${code} has ${statuses.length === 0 ? 'no documented status' : `the status ${statuses.join(' or ')}`}, and ${meaning ? 'the meaning of the contract' : 'a meaning that is marked as guessed'}`,
  async ({ code, statuses, meaning }) => {
    expect(describeErrorCode(code)).toEqual(entryOf(code))
    expect(entryOf(code)).toMatchObject({ statuses, meaning: expect.stringMatching(meaning ?? guessed) })
    for (const status of statuses) {
      emulator.faults.add({ match: 'sessions.list', status, code: { unlisted: code } })
      expect(await call('GET', '/api/v2/session')).toMatchObject({ status, error: { code } })
      const error = await failed('sessions.list', status, code)
      expect(error).toMatchObject({ name: classOf.get(status), status, code })
      expect(isErrorCode(error, code as KnownErrorCode)).toBe(true)
    }
  },
)

// Other codes

statements(
  '7',
  [
    ['missing_identifier', 400],
    ['invalid_request', 400],
    ['not_found', 404],
    ['already_active', 409],
    ['deactivated', 409],
  ],
  (code, status) => `${status} ${code} is a code of the organization API`,
  async (code, status) => {
    emulator.faults.add({ match: 'members.list', status, code: { unlisted: code } })

    expect(entryOf(code)?.statuses).toContain(status)
    expect(await call('GET', members)).toMatchObject({ status, error: { code } })
    expect(await failed('members.list', status, code)).toMatchObject({ status, code })
  },
)

statement(
  '7',
  'invalid_request of the organization API has the errors of the fields in data.errors',
  async () => {
    const { error, data } = await call('POST', members, { json: { members: [] } })

    expect(error?.code).toBe('invalid_request')
    expect(data).toEqual({ errors: { members: expect.any(String) } })
  },
)

statements(
  '7',
  [
    ['no code', '?state=state_1'],
    ['an error', '?error=access_denied&state=state_1'],
    ['another state', '?code=c&state=other'],
  ],
  (what) => `a callback with ${what} has the status 400`,
  async (_, callback) => {
    const login = {
      state: 'state_1',
      nonce: 'n',
      codeVerifier: 'v',
      redirectUri: 'https://app.example.test/callback',
    }

    expect(await thrownBy(issuer().client().handleCallback(callback, login))).toMatchObject({
      status: 400,
    })
  },
)

statement(
  '7',
  'a request whose Idempotency-Key is still running is 409 idempotency_in_progress',
  async () => {
    const { emulator, post } = inProcess()
    emulator.faults.add({ match: 'checks.liveness', delayMs: 60_000 })
    const aborting = new AbortController()
    const send = (signal?: AbortSignal) =>
      post('/api/v2/liveness', { image: photoBase64 }, { key: 'order-1', signal })
    const running = thrownBy(send(aborting.signal))

    const repeated = await send()
    aborting.abort()
    await running

    expect(repeated).toMatchObject({ status: 409, error: { code: 'idempotency_in_progress' } })
  },
)

statement('7', 'a key with another body is 422 idempotency_key_reused', async () => {
  const { post } = inProcess()
  await post('/api/v2/location', { latitude: 1, longitude: 2 }, { key: 'order-1' })

  expect(await post('/api/v2/location', { latitude: 3, longitude: 4 }, { key: 'order-1' })).toMatchObject({
    status: 422,
    error: { code: 'idempotency_key_reused' },
  })
})

statement('7', 'an exhausted wallet is 402, which is a PaymentRequiredError', async () => {
  const { post } = inProcess({ wallet: { balance: 0 } })

  expect((await post('/api/v2/location', { latitude: 1, longitude: 2 })).status).toBe(402)
  expect(await failed('checks.location', 402, 'a_code')).toMatchObject({ name: 'PaymentRequiredError' })
})

// Both readings, where the contract states two

statements(
  '7',
  [[400], [404]] as const,
  (status) => `the emulator can return ${status} for license_not_found`,
  async (status) => {
    const { post } = inProcess({ readings: { licenseNotFound: status } })
    const license = { license_state: 'CA', license_number: 'RN-0', license_type: 'Registered Nurse' }

    expect(await post('/api/v2/credential-verification', license)).toMatchObject({
      status,
      error: { code: 'license_not_found' },
    })
  },
)

statement('7', 'the emulator can return found false instead of license_not_found', async () => {
  const { post } = inProcess({ readings: { licenseNotFound: 'found_false' } })
  const license = { license_state: 'CA', license_number: 'RN-0', license_type: 'Registered Nurse' }

  expect(await post('/api/v2/credential-verification', { ...license, full_name: 'Ada' })).toMatchObject({
    status: 200,
    data: { status: 'failed', check: { data: { found: false } } },
  })
})

statement('7', 'the emulator can return errors of the token endpoint in the envelope', async () => {
  const { raw } = inProcess({ readings: { tokenErrors: 'enveloped' } })

  const { text } = await raw('POST', '/api/auth/oidc/token', { json: {} })

  expect(JSON.parse(text)).toMatchObject({ success: false, error: { code: 'invalid_client' } })
})

statements(
  '7',
  [[400], [401]] as const,
  (status) => `the emulator can return ${status} for invalid_grant`,
  async (status) => {
    const { exchange } = signInAt(inProcess({ readings: { invalidGrant: status } }))

    expect(await exchange('code_unknown')).toMatchObject({ status, body: { error: 'invalid_grant' } })
  },
)

statements(
  '7',
  [
    [403, 'unauthorized_client'],
    [401, 'invalid_client'],
  ] as const,
  (status, code) => `the emulator can return ${status} ${code} for an inactive application`,
  async (inactiveApp, code) => {
    const { refresh } = signInAt(inProcess({ oidc: { active: false }, readings: { inactiveApp } }))

    expect(await refresh('refresh_0')).toMatchObject({ status: inactiveApp, body: { error: code } })
  },
)

statements(
  '7',
  [
    ['the form of RFC 6749', { error: 'invalid_grant', error_description: 'Used.' }],
    ['the envelope', { success: false, data: null, error: { code: 'invalid_grant', message: 'Used.' } }],
  ],
  (what) => `an error of the token endpoint is read in ${what}`,
  async (_, body) => {
    const { client, token } = issuer()
    token.respondWith(json(body, 400))

    expect(await thrownBy(client().exchangeCode({ code: 'code_1' }))).toMatchObject({
      status: 400,
      code: 'invalid_grant',
      message: expect.stringContaining('Used.'),
    })
  },
)
