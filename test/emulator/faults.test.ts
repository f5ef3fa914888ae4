import { expect, it, vi } from 'vitest'
import { errorCatalog } from '../../src/contract/errors/catalog.ts'
import { EmulatorError, type Fault } from '../../src/emulator.ts'
import { emulated, requestOf } from './emulated.ts'

/** Lets everything run that waits for no timer. */
async function settle() {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
}

const age = '/api/v2/age-verification'
const pathOf = {
  'checks.age': age,
  'sessions.create': '/api/v2/session',
  'antispoof.check': '/api/v2/antispoof',
}
const adult = { dob: '1990-01-01', bands: [18] }

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
  ['antispoof.check', 400, 'frames_required'],
] as const)('a fault of %s with %i has a fitting code', async (match, status, code) => {
  const { emulator, post } = emulated()
  emulator.faults.add({ match, status })

  const reply = await post(pathOf[match], adult)

  expect(reply).toMatchObject({
    status,
    success: false,
    data: null,
    error: { code, message: expect.any(String) },
  })
  const documented: Record<string, { statuses: readonly number[] }> = errorCatalog
  if (documented[code]) expect(documented[code].statuses).toContain(status)
})

it('answers with the code and headers that it is given', async () => {
  const { emulator, post } = emulated()
  emulator.faults.add({ match: 'checks.age', status: 422, code: 'no_face', headers: { 'retry-after': '2' } })

  const reply = await post(age, adult)

  expect(reply.error).toMatchObject({ code: 'no_face' })
  expect(reply.headers.get('retry-after')).toBe('2')
})

it.each<[string, Fault['match'], boolean]>([
  ['no match', undefined, true],
  ['its operation', 'checks.age', true],
  ['its method and path', 'POST /api/v2/age-verification', true],
  ['an object', { method: 'post', path: '/api/v2/age-verification' }, true],
  ['its method alone', { method: 'POST' }, true],
  ['another operation', 'checks.location', false],
  ['another path', 'POST /api/v2/location', false],
  ['another method', { method: 'GET' }, false],
])('befalls the requests that match: %s', async (_, match, struck) => {
  const { emulator, post } = emulated()
  emulator.faults.add({ match, status: 500 })

  expect((await post(age, adult)).status).toBe(struck ? 500 : 200)
})

it('matches a path with an id, or the template of all of them', async () => {
  const { emulator, call, session } = emulated()
  const [a, b] = [await session(), await session()]
  const read = async (id = '') => (await call('GET', `/api/v2/session/${id}`)).status

  emulator.faults.add({ match: `GET /api/v2/session/${a?.session_id}`, status: 500 })
  expect([await read(b?.session_id), await read(a?.session_id), await read(a?.session_id)]).toEqual([
    200, 500, 200,
  ])
  emulator.faults.add({ match: 'GET /api/v2/session/{id}', status: 500, times: 2 })
  expect([await read(b?.session_id), await read(a?.session_id), await read(a?.session_id)]).toEqual([
    500, 500, 200,
  ])
})

it('strikes once, as often as told, or until cleared', async () => {
  const { emulator, post } = emulated()
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

it('before: nothing was done and nothing charged', async () => {
  const { emulator, call, post } = emulated()
  emulator.faults.add({ status: 500, times: 2 })

  await post('/api/v2/session', { workflow_id: 'wf_identity' })
  await post(age, adult)

  expect((await call('GET', '/api/v2/session')).data).toEqual([])
  expect(emulator.ledger).toEqual([])
})

it('after: the work is done and charged, and only the answer is lost', async () => {
  const { emulator, call, post } = emulated()
  emulator.faults.add({ status: 500, when: 'after', times: 2 })

  expect((await post('/api/v2/session', { workflow_id: 'wf_identity' })).status).toBe(500)
  expect((await post(age, adult, { key: 'key-1' })).status).toBe(500)

  expect((await call('GET', '/api/v2/session')).data).toHaveLength(1)
  expect(emulator.ledger).toHaveLength(1)
  expect((await post(age, adult, { key: 'key-1' })).status).toBe(200)
  expect(emulator.ledger).toHaveLength(1)
})

it('a reset rejects as fetch does, and can come before or after the work', async () => {
  const { emulator, post } = emulated()
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

it('can also befall the repeated answer of a key', async () => {
  const { emulator, post } = emulated()
  await post(age, adult, { key: 'key-1' })
  emulator.faults.add({ match: 'checks.age', status: 503 })

  expect((await post(age, adult, { key: 'key-1' })).status).toBe(503)
  expect((await post(age, adult, { key: 'key-1' })).status).toBe(200)
  expect(emulator.ledger).toHaveLength(1)
})

it('delays the work, or only the answer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { emulator, post } = emulated()
  emulator.faults.add({ match: 'checks.age', delayMs: 5000 })
  emulator.faults.add({ match: 'checks.age', delayMs: 5000, when: 'after' })
  const answered: string[] = []

  void post(age, adult).then(() => answered.push('before'))
  await settle()
  expect(emulator.ledger).toHaveLength(0)
  await vi.advanceTimersByTimeAsync(5000)
  await settle()
  expect(answered).toEqual(['before'])

  void post(age, adult).then(() => answered.push('after'))
  await settle()
  expect(emulator.ledger).toHaveLength(2)
  expect(answered).toEqual(['before'])
  await vi.advanceTimersByTimeAsync(5000)
  await settle()
  vi.useRealTimers()
  expect(answered).toEqual(['before', 'after'])
})

it.each([
  ['before', 0],
  ['after', 1],
] as const)(
  'a caller that gives up during a delay %s the work has been charged %i times',
  async (when, charges) => {
    const { emulator, post } = emulated()
    emulator.faults.add({ match: 'checks.age', delayMs: 60_000, when })
    const leaving = new AbortController()

    const call = post(age, adult, { signal: leaving.signal })
    await new Promise((resolve) => setImmediate(resolve))
    leaving.abort(new Error('had enough'))

    await expect(call).rejects.toThrow('had enough')
    await new Promise((resolve) => setImmediate(resolve))
    expect(emulator.ledger).toHaveLength(charges)
  },
)

it('does nothing for a caller that has given up before', async () => {
  const { emulator } = emulated()

  const request = requestOf('POST', age, { json: adult, signal: AbortSignal.abort(new Error('too late')) })

  await expect(emulator.fetch(request)).rejects.toThrow('too late')
  expect(emulator.requests).toEqual([])
})

it.each<Fault>([
  { match: 'checks.ages', status: 500 },
  { match: 'POST /api/v2/ages', status: 500 },
  { match: { method: 'PUT' }, status: 500 },
  { match: 'checks.age' },
  { match: 'checks.age', status: 200 },
  { match: 'checks.age', status: 600 },
  { match: 'checks.age', status: 500, times: 0 },
])('refuses a fault that cannot strike: %j', (fault) => {
  const { emulator } = emulated()

  expect(() => emulator.faults.add(fault)).toThrow(EmulatorError)
})
