// Misspelled on purpose: cspell:ignore fase licens liscence verificaton

import { expect, it, onTestFinished, vi } from 'vitest'
import { errorCatalog } from '../../../../src/contract/errors/catalog.ts'
import { EmulatorError, type Fault } from '../../../../src/emulator.ts'
import { adult } from '../../support/checks.ts'
import { inProcess, overHttp, requestOf } from '../../support/service.ts'
import { signInAt } from '../../support/sign-in.ts'

/** Waits until everything has run that does not wait for a timer. */
async function pendingWork() {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
}

const age = '/api/v2/age-verification'
const pathOf = {
  'checks.age': age,
  'sessions.create': '/api/v2/session',
  'experimental.antispoof.check': '/api/v2/antispoof',
}

it.each([
  ['checks.age', 400, 'validation_error'],
  ['checks.age', 401, 'invalid_api_key'],
  ['checks.age', 402, 'payment_required'],
  ['checks.age', 409, 'idempotency_in_progress'],
  ['checks.age', 422, 'unprocessable'],
  ['checks.age', 423, 'verification_soft_locked'],
  ['checks.age', 429, 'rate_limited'],
  ['checks.age', 500, 'internal_error'],
  ['checks.age', 502, 'emulated_fault'],
  ['checks.age', 503, 'engine_unreachable'],
  ['sessions.create', 404, 'workflow_not_found'],
  ['sessions.create', 422, 'callback_not_allowed'],
  ['experimental.antispoof.check', 400, 'frames_required'],
] as const)('a fault of %s with %i has the code %s by default', async (match, expected, code) => {
  const { emulator, post } = inProcess()
  emulator.faults.add({ match, status: expected })

  const { status, data, error } = await post(pathOf[match], adult)

  expect([status, data, error?.code]).toEqual([expected, null, code])
  const documented: Record<string, { statuses: readonly number[] }> = errorCatalog()
  if (documented[code]) expect(documented[code].statuses).toContain(expected)
})

it('a fault can have its own code and headers', async () => {
  const { emulator, post } = inProcess()
  emulator.faults.add({
    match: 'checks.age',
    status: 422,
    code: { unlisted: 'no_face' },
    headers: { 'retry-after': '2' },
  })

  const { headers, error } = await post(age, adult)

  expect(error?.code).toBe('no_face')
  expect(headers.get('retry-after')).toBe('2')
})

it.each<[string, string, Fault['match']]>([
  ['applies', 'without a match', undefined],
  ['applies', 'by operation', 'checks.age'],
  ['applies', 'by method and path', 'POST /api/v2/age-verification'],
  ['applies', 'by an object', { method: 'post', path: '/api/v2/age-verification' }],
  ['applies', 'by method', { method: 'POST' }],
  ['does not apply', 'to another operation', 'checks.location'],
  ['does not apply', 'to another path', 'POST /api/v2/location'],
  ['does not apply', 'to another method', { method: 'GET' }],
])('a fault %s %s', async (applies, _, match) => {
  const { emulator, post } = inProcess()
  emulator.faults.add({ match, status: 500 })

  expect((await post(age, adult)).status).toBe(applies === 'applies' ? 500 : 200)
})

it('a fault matches a path with an id, or the template of the path', async () => {
  const { emulator, get, session } = inProcess()
  const [a, b] = [(await session()).session_id, (await session()).session_id]
  const statuses = async () => {
    const seen: number[] = []
    for (const id of [b, a, a]) seen.push((await get(`/api/v2/session/${id}`)).status)
    return seen
  }

  emulator.faults.add({ match: `GET /api/v2/session/${a}`, status: 500 })
  expect(await statuses()).toEqual([200, 500, 200])
  emulator.faults.add({ match: 'GET /api/v2/session/{id}', status: 500, times: 2 })
  expect(await statuses()).toEqual([500, 500, 200])
})

it('a fault applies to the organization API and to sign-in', async () => {
  const { emulator, get, exchange, codeFor, raw } = signInAt(await overHttp())
  emulator.faults.add({ match: 'billing.retrieve', status: 503 })
  emulator.faults.add({ match: 'oidc.exchangeCode', status: 503 })
  emulator.faults.add({ match: 'oidc.jwks', status: 500 })

  const billing = await get('/api/sdk/billing')
  const exchanged = await exchange(codeFor())
  const keys = await raw('GET', '/api/auth/oidc/jwks.json')

  expect([billing.status, exchanged.status, keys.status]).toEqual([503, 503, 500])
  expect(exchanged.body.error).toEqual(expect.any(String))
  expect(JSON.parse(keys.text)).not.toHaveProperty('keys')
})

it('a fault applies once by default, or a number of times, or until clear is called', async () => {
  const { emulator, post } = inProcess()
  const statuses = async (count: number) => {
    const seen: number[] = []
    for (let i = 0; i < count; i++) seen.push((await post(age, adult)).status)
    return seen
  }

  emulator.faults.add({ match: 'checks.age', status: 500 })
  expect(await statuses(2)).toEqual([500, 200])
  emulator.faults.add({ match: 'checks.age', status: 500, times: 2 })
  emulator.faults.add({ match: 'checks.age', status: 503, times: 1 })
  expect(await statuses(4)).toEqual([500, 500, 503, 200])
  emulator.faults.add({ match: 'checks.age', status: 500, times: Number.POSITIVE_INFINITY })
  expect(await statuses(3)).toEqual([500, 500, 500])
  emulator.faults.clear()
  expect(await statuses(1)).toEqual([200])
})

it('a fault before the operation does nothing and charges nothing', async () => {
  const { emulator, get, post } = inProcess()
  emulator.faults.add({ status: 500, times: 2 })

  await post('/api/v2/session', { workflow_id: 'wf_identity' })
  await post(age, adult)

  expect((await get('/api/v2/session')).data).toEqual([])
  expect(emulator.ledger).toEqual([])
})

it('a fault after the operation loses only the response: the work is done and charged', async () => {
  const { emulator, get, post } = inProcess()
  emulator.faults.add({ status: 500, when: 'after', times: 2 })

  expect((await post('/api/v2/session', { workflow_id: 'wf_identity' })).status).toBe(500)
  expect((await post(age, adult, { key: 'key-1' })).status).toBe(500)

  expect((await get('/api/v2/session')).data).toHaveLength(1)
  expect(emulator.ledger).toHaveLength(1)
  expect((await post(age, adult, { key: 'key-1' })).status).toBe(200)
  expect(emulator.ledger).toHaveLength(1)
})

it('a fault after the operation loses an error of the service too', async () => {
  const { emulator, get } = inProcess()
  emulator.faults.add({ match: 'sessions.retrieve', reset: true, when: 'after' })

  await expect(get('/api/v2/session/none')).rejects.toBeInstanceOf(TypeError)
  expect((await get('/api/v2/session/none')).status).toBe(404)
})

it('a reset rejects as fetch does, before or after the operation', async () => {
  const { emulator, post } = inProcess()
  emulator.faults.add({ match: 'checks.age', reset: true })
  emulator.faults.add({ match: 'checks.age', reset: true, when: 'after' })

  const reset = { name: 'TypeError', message: 'fetch failed', cause: { code: 'ECONNRESET' } }
  await expect(post(age, adult, { key: 'key-1' })).rejects.toMatchObject(reset)
  expect(emulator.ledger).toHaveLength(0)
  await expect(post(age, adult, { key: 'key-1' })).rejects.toBeInstanceOf(TypeError)
  expect(emulator.ledger).toHaveLength(1)
  expect((await post(age, adult, { key: 'key-1' })).status).toBe(200)
  expect(emulator.ledger).toHaveLength(1)
  expect(emulator.requests.map(({ status }) => status)).toEqual([undefined, undefined, 200])
})

it('a reset destroys the socket over HTTP, before or after the operation', async () => {
  const { emulator, post } = await overHttp()

  emulator.faults.add({ match: 'checks.age', reset: true })
  await expect(post(age, adult)).rejects.toThrow(TypeError)
  expect(emulator.ledger).toHaveLength(0)
  emulator.faults.add({ match: 'checks.age', reset: true, when: 'after' })
  await expect(post(age, adult)).rejects.toThrow(TypeError)
  expect(emulator.ledger).toHaveLength(1)
  expect((await post(age, adult)).status).toBe(200)
})

it('a fault also applies to the stored response of an idempotency key', async () => {
  const { emulator, post } = inProcess()
  await post(age, adult, { key: 'key-1' })
  emulator.faults.add({ match: 'checks.age', status: 503 })

  expect((await post(age, adult, { key: 'key-1' })).status).toBe(503)
  expect((await post(age, adult, { key: 'key-1' })).status).toBe(200)
  expect(emulator.ledger).toHaveLength(1)
})

it('a delay comes before the operation, or after it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { emulator, post } = inProcess()
  emulator.faults.add({ match: 'checks.age', delayMs: 5000 })
  emulator.faults.add({ match: 'checks.age', delayMs: 5000, when: 'after' })
  const responses: string[] = []

  void post(age, adult).then(() => responses.push('before'))
  await pendingWork()
  expect(emulator.ledger).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(5000)
  await pendingWork()
  expect(responses).toEqual(['before'])

  void post(age, adult).then(() => responses.push('after'))
  await pendingWork()
  expect(emulator.ledger).toHaveLength(2)
  expect(responses).toEqual(['before'])
  await vi.advanceTimersByTimeAsync(5000)
  await pendingWork()
  expect(responses).toEqual(['before', 'after'])
})

it.each([
  ['before', 0],
  ['after', 1],
] as const)('a client that aborts during a delay %s the operation is charged %i times', async (when, charges) => {
  const { emulator, post } = inProcess()
  emulator.faults.add({ match: 'checks.age', delayMs: 60_000, when })
  const aborting = new AbortController()

  const call = post(age, adult, { signal: aborting.signal })
  await new Promise((resolve) => setImmediate(resolve))
  aborting.abort(new Error('took too long'))

  await expect(call).rejects.toThrow('took too long')
  await new Promise((resolve) => setImmediate(resolve))
  expect(emulator.ledger).toHaveLength(charges)
})

it('a request that was aborted before it is sent does nothing', async () => {
  const { emulator } = inProcess()

  const request = requestOf('POST', age, { json: adult, signal: AbortSignal.abort(new Error('too late')) })

  await expect(emulator.fetch(request)).rejects.toThrow('too late')
  expect(emulator.requests).toEqual([])
})

it.each<[what: string, fault: Fault]>([
  ['a match and no effect', { match: 'checks.age' }],
  ['neither match nor effect', { times: 2 }],
  ['a code that has no status in the catalog, and no status', { code: { unlisted: 'endpoint_not_found' } }],
  ['an unknown code without a status', { code: { unlisted: 'odd' } }],
])('add rejects a fault with %s', (_, fault) => {
  const { emulator } = inProcess()

  expect(() => emulator.faults.add(fault)).toThrow(EmulatorError)
})

/** What a caller without types may pass. */
it.each<[message: string, fault: object]>([
  ['faults.add: match: checks.ages is not an operation. Did you mean checks.age?', { match: 'checks.ages' }],
  [
    'faults.add: match: POST /api/v2/age-verificaton is not an operation. Did you mean POST /api/v2/age-verification?',
    { match: 'POST /api/v2/age-verificaton' },
  ],
  [
    "faults.add: match: POST /api/v2/ages is not an operation. Pass a name such as 'checks.age', or a method and a path. Leave match out for all operations.",
    { match: 'POST /api/v2/ages' },
  ],
  ['faults.add: matches is not an option. Did you mean match?', { matches: 'checks.age' }],
  [
    'faults.add: code: the contract does not name "licens_not_found" for checks.credential. Did you mean license_not_found? To send another code, pass { unlisted: "licens_not_found" }',
    { match: 'checks.credential', code: 'licens_not_found' },
  ],
  [
    'faults.add: code: the contract does not name "already_decided" for checks.age. The codes are validation_error, invalid_api_key, not_found, unprocessable, rate_limited, internal_error, idempotency_in_progress, idempotency_key_reused. To send another code, pass { unlisted: "already_decided" }',
    { match: 'checks.age', code: 'already_decided' },
  ],
])('add names what is misspelled, and the nearest name: %s', (message, fault) => {
  const { emulator } = inProcess()

  expect(() => emulator.faults.add({ status: 400, ...fault })).toThrow(new EmulatorError({ message }))
})

it('a code that the contract does not name for the operation is sent if it is marked as unlisted', async () => {
  const { emulator, post } = inProcess()
  emulator.faults.add({ match: 'checks.age', code: { unlisted: 'already_decided' } })
  emulator.faults.add({ match: 'checks.age', status: 400, code: { unlisted: 'code_of_tomorrow' } })

  expect(await post(age, adult)).toMatchObject({ status: 409, error: { code: 'already_decided' } })
  expect(await post(age, adult)).toMatchObject({ status: 400, error: { code: 'code_of_tomorrow' } })
})
