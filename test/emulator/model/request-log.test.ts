import { expect, it, vi } from 'vitest'
import type { RecordedRequest } from '../../../src/emulator.ts'
import { patient } from '../../support/patience.ts'
import { form, photo } from '../support/images.ts'
import { inProcess, overHttp, requestOf } from '../support/service.ts'
import { signInAt } from '../support/sign-in.ts'

it('records each request, without credentials and images', async () => {
  const { emulator, call, post } = inProcess()

  await post('/api/v2/age-verification?x=1', { dob: 'no', bands: [] }, { key: 'key-1', headers: { cookie: 'c=1' } })
  await call('POST', '/api/v2/liveness', { body: form({ image: photo }) })
  await call('GET', '/unknown', { headers: { authorization: 'Bearer secret' } })

  const [age, liveness, unknown] = emulator.requests
  expect(age).toEqual({
    requestId: expect.stringMatching(/^req_/),
    at: '2026-03-01T12:00:00.000Z',
    method: 'POST',
    path: '/api/v2/age-verification?x=1',
    headers: {
      'content-type': 'application/json',
      cookie: '[masked]',
      'idempotency-key': 'key-1',
      'x-api-key': '[masked]',
    },
    operation: 'checks.age',
    idempotencyKey: 'key-1',
    body: '{"dob":"no","bands":[]}',
    bytes: 23,
    status: 400,
    responseHeaders: {
      'content-type': 'application/json',
      'x-emulator': '1',
      'x-request-id': age?.requestId,
    },
    responseBody: expect.stringContaining('"code":"validation_error"'),
  })
  expect(liveness).toMatchObject({ status: 200, bytes: expect.any(Number) })
  expect(liveness?.bytes).toBeGreaterThan(100)
  expect(liveness).not.toHaveProperty('body')
  expect(unknown).toMatchObject({ path: '/unknown', status: 404, bytes: 0 })
  expect(unknown).not.toHaveProperty('operation')
  expect(JSON.stringify(emulator.requests)).not.toMatch(/key_1|secret/)
})

it('masks the client secret of the organization API', async () => {
  const { emulator, get } = inProcess()

  await get('/api/sdk/members')

  expect(emulator.requests[0]?.headers['x-client-secret']).toBe('[masked]')
  expect(JSON.stringify(emulator.requests)).not.toContain('org_secret_1')
})

it('records the size of a long body instead of its text', async () => {
  const { emulator, post } = inProcess()

  await post('/api/v2/liveness', { image: Buffer.alloc(100_000).toString('base64') })

  expect(emulator.requests[0]).not.toHaveProperty('body')
  expect(emulator.requests[0]?.bytes).toBeGreaterThan(100_000)
})

it('names the operations of sign-in', async () => {
  const { emulator, authorizationUrl, codeFor, exchange, keys, raw } = signInAt(await overHttp())

  await exchange(codeFor())
  await keys()
  await raw('GET', authorizationUrl())

  expect(emulator.requests.map(({ operation }) => operation)).toEqual([
    'oidc.exchangeCode',
    'oidc.jwks',
    'oidc.authorize',
  ])
})

it('calls onRequest when a request has ended, with or without a response, also after a reset', async () => {
  const recorded: RecordedRequest[] = []
  const { emulator, call } = inProcess({ onRequest: (request) => recorded.push(request) })
  emulator.faults.add({ match: 'experimental.workflows.list', reset: true })

  await call('GET', '/api/v2/session')
  await expect(call('GET', '/api/v2/workflows')).rejects.toThrow(TypeError)
  emulator.reset()
  await call('GET', '/nowhere')

  expect(recorded.map(({ path, status }) => [path, status])).toEqual([
    ['/api/v2/session', 200],
    ['/api/v2/workflows', undefined],
    ['/nowhere', 404],
  ])
})

it('calls onRequest without a status for a request that its client aborted', async () => {
  const recorded: RecordedRequest[] = []
  const { emulator } = inProcess({ onRequest: (request) => recorded.push(request) })
  emulator.faults.add({ match: 'sessions.list', delayMs: 60_000 })
  const aborting = new AbortController()
  const sent = emulator.fetch(requestOf('GET', '/api/v2/session', { signal: aborting.signal }))
  await vi.waitFor(() => expect(emulator.requests).toHaveLength(1), patient)

  aborting.abort(new Error('enough'))

  await expect(sent).rejects.toThrow('enough')
  await vi.waitFor(() => expect(recorded).toHaveLength(1), patient)
  expect(recorded[0]).not.toHaveProperty('status')
})
