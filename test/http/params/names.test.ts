// Misspelled on purpose: cspell:ignore notifi

import { expect, it } from 'vitest'
import { OrgClient } from '../../../src/index.ts'
import { scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { testClient } from '../../support/verification-client.ts'

const noFetch = () => expect.fail('something was sent')
const { client } = testClient({ fetch: noFetch })
const org = new OrgClient({
  baseUrl: 'https://org.example.test',
  clientId: 'app',
  clientSecret: 'shh',
  fetch: noFetch,
})
const image = Uint8Array.of(1)

it.each<[call: string, send: () => PromiseLike<unknown>, path: string, meant: string]>([
  ['sessions.create', () => client.sessions.create({ workflowId: 'wf_1' } as never), 'workflowId', 'workflow_id'],
  ['sessions.create', () => client.sessions.create({ vendor_date: 'u' } as never), 'vendor_date', 'vendor_data'],
  ['sessions.list', () => client.sessions.list({ vendorData: 'u' } as never), 'vendorData', 'vendor_data'],
  [
    'checks.idVerification',
    () => client.checks.idVerification({ front_image: image, backImage: image } as never),
    'backImage',
    'back_image',
  ],
  ['checks.faceMatch', () => client.checks.faceMatch({ Image1: image, image2: image } as never), 'Image1', 'image1'],
  [
    'members.add',
    () => org.members.add({ members: [{ email: 'a@example.com', firstName: 'Ada' }] } as never),
    'members.0.firstName',
    'first_name',
  ],
])('%s rejects a param that is spelled like a listed one: %#', async (operation, send, path, meant) => {
  const error = await thrownBy(send())

  expect(error).toMatchObject({ name: 'InvalidParamsError', attempts: 0 })
  expect(String(error)).toContain(`${operation}: ${path} is not a param. Did you mean ${meant}?`)
})

it.each([{ locale: 'en' }, { callback_method: 'both' }, { features: ['x'] }, { workflow: 'wf_1' }])(
  'a param that is not listed is sent, because the service may accept it: %j',
  async (params) => {
    const { fetch, requests } = scriptedFetch(succeed())

    await testClient({ fetch }).client.sessions.create(params as never)

    expect(JSON.parse(new TextDecoder().decode(requests[0]?.body))).toEqual(params)
  },
)

it('names that differ by a digit are different params', async () => {
  const image = 'data:image/png;base64,aGVsbG8='
  const params = { image1: image, image2: image, image3: image } as const
  const { fetch, requests } = scriptedFetch(
    succeed({ status: 'passed', check: { type: 'face_match', status: 'passed', data: {} } }),
  )

  await testClient({ fetch }).client.checks.faceMatch(params, { encoding: 'json' })

  expect(JSON.parse(new TextDecoder().decode(requests[0]?.body))).toEqual(params)
})

it('names inside free-form data are never rejected', async () => {
  const params = { metadata: { workflowId: 'mine', vendorData: 'mine' } }
  const { fetch, requests } = scriptedFetch(succeed())

  await testClient({ fetch }).client.sessions.create(params)

  expect(JSON.parse(new TextDecoder().decode(requests[0]?.body))).toEqual(params)
})

it('params of an operation that the contract does not confirm are never rejected', async () => {
  const { fetch, requests } = scriptedFetch(succeed({}))

  await testClient({ fetch }).client.experimental.antispoof.check({ frame: 'x' } as never)

  expect(requests).toHaveLength(1)
})

it.each([
  [{ timeout: 5 }, 'timeout', 'timeoutMs'],
  [{ idempotency_key: 'k' }, 'idempotency_key', 'idempotencyKey'],
  [{ abortSignal: undefined }, 'abortSignal', 'signal'],
])('request options %j are rejected with the nearest known name', async (options, path, meant) => {
  const error = await thrownBy(client.sessions.retrieve('sess_1', options as never))

  expect(error).toMatchObject({ name: 'InvalidParamsError' })
  expect(String(error)).toContain(`sessions.retrieve: ${path} is not an option. Did you mean ${meant}?`)
})

const wrongKinds = [
  ['key_canary', 'a string'],
  [5, 'a number'],
  [null, 'null'],
  [['key_canary'], 'an array'],
  [new Set(['key_canary']), 'an iterable'],
] as const

it.each(wrongKinds)('request options that are %j are rejected as %s', async (options, kind) => {
  const error = await thrownBy(client.sessions.retrieve('sess_1', options as never))

  expect(String(error)).toBe(`InvalidParamsError: sessions.retrieve: options must be an object, not ${kind}`)
})

it.each(wrongKinds.slice(0, 4))('params that are %j are rejected as %s', async (params, kind) => {
  const error = await thrownBy(org.members.add(params as never))

  expect(String(error)).toBe(`InvalidParamsError: members.add: params must be an object, not ${kind}`)
})

it.each<[operation: string, send: () => PromiseLike<unknown>, message: string]>([
  [
    'sessions.waitForDecision',
    () => client.sessions.waitForDecision('sess_1', { pollInterval: 5 } as never),
    'pollInterval is not an option. Did you mean pollIntervalMs?',
  ],
  [
    'members.addAll',
    () => org.members.addAll([{ email: 'a@example.com' }], { notifi: false } as never),
    'notifi is not an option. Did you mean notify?',
  ],
  [
    'members.inviteAll',
    () => org.members.inviteAll(['a@example.com'], { on_progress: () => {} } as never),
    'on_progress is not an option. Did you mean onProgress?',
  ],
  [
    'request',
    () => client.request({ method: 'GET', path: '/api/v2/usage', params: { a: 1 } } as never),
    'params is not an option. The options are method, path, query, body, accessToken.',
  ],
  ['request', () => client.request('/api/v2/usage' as never), 'request must be an object, not a string'],
])('%s rejects a name that is not an option of it: %#', async (operation, send, message) => {
  const error = await thrownBy(send())

  expect(String(error)).toBe(`InvalidParamsError: ${operation}: ${message}`)
})
