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
  [
    'sessions.create',
    () => client.sessions.create({ return_url: 'https://a.example' } as never),
    'return_url',
    'redirect_url',
  ],
  ['sessions.list', () => client.sessions.list({ limit: 100, vendor: 'u' } as never), 'vendor', 'vendor_data'],
  ['members.add', () => org.members.add({ members: [], send_email: false } as never), 'send_email', 'notify'],
  [
    'request',
    () => client.request({ method: 'GET', path: '/api/v2/session', query: { vendor: 'u' } }),
    'vendor',
    'vendor_data',
  ],
])(
  '%s rejects a param that it does not have, with the nearest one that is not given: %#',
  async (operation, send, path, meant) => {
    const error = await thrownBy(send())

    expect(error).toMatchObject({ name: 'InvalidParamsError', attempts: 0 })
    const name = operation === 'request' ? 'sessions.list' : operation
    expect(String(error)).toContain(`${name}: ${path} is not a param. Did you mean ${meant}? Those that exist are `)
  },
)

it('names the params that an operation has if one is unknown, and at most twenty unknown ones', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`field_${i}`, i]))

  const error = await thrownBy(client.sessions.list({ limit: 1, vendor: undefined, ...unknown } as never))

  expect(String(error)).toContain(
    'vendor is not a param. Did you mean vendor_data? Those that exist are status, vendor_data, limit. A param that is not documented goes into the option extraParams.',
  )
  expect(error).toMatchObject({ issues: { length: 20 } })
})

it.each<[operation: string, send: () => PromiseLike<unknown>]>([
  ['members.list', () => org.members.list({ role: 'owner' } as never)],
  ['credentials.listStates', () => client.credentials.listStates({ country: 'US' } as never)],
])('%s has no params, and rejects any', async (operation, send) => {
  const error = await thrownBy(send())

  expect(String(error)).toMatch(
    new RegExp(`InvalidParamsError: ${operation}: \\w+ is not a param. The operation has none.`),
  )
})

it.each([
  ['checks.credential', { full_nam: 'Ada' }, 'full_name'],
  ['checks.credential', { name: 'Ada' }, 'full_name'],
])('%s rejects %j, and sends what a provider may require under a name of its own', async (_, params, meant) => {
  const license = { license_state: 'CA', license_number: '1', license_type: 'RN' }
  const { fetch, requests } = scriptedFetch(
    succeed({ status: 'passed', check: { type: 'credential', status: 'passed', data: {} } }),
  )
  const { checks } = testClient({ fetch }).client

  const error = await thrownBy(checks.credential({ ...license, ...params } as never))
  await checks.credential({ ...license, ssn_last4: '1234' } as never)

  expect(String(error)).toContain(`is not a param. Did you mean ${meant}?`)
  expect(requests).toHaveLength(1)
})

it('extraParams are sent in the query of a GET, and in the body of a POST', async () => {
  const { fetch, requests } = scriptedFetch(succeed([]), succeed())
  const { sessions } = testClient({ fetch }).client

  await sessions.list({ limit: 1 }, { extraParams: { cursor: 'abc', archived: true } })
  await sessions.create({ workflow_id: 'wf_1' }, { extraParams: { locale: { language: 'en' } } })

  expect(new URL(requests[0]?.url ?? '').search).toBe('?limit=1&cursor=abc&archived=true')
  expect(JSON.parse(new TextDecoder().decode(requests[1]?.body))).toEqual({
    workflow_id: 'wf_1',
    locale: { language: 'en' },
  })
})

it.each<[what: string, send: () => PromiseLike<unknown>, message: string]>([
  [
    'a param of the operation',
    () => client.sessions.create({}, { extraParams: { workflow_id: 'wf_1' } }),
    'sessions.create: extraParams.workflow_id is a param of the operation: pass it as one',
  ],
  [
    'an alias of one',
    () =>
      client.checks.credential(
        { license_state: 'CA', license_number: '1', license_type: 'RN' },
        { extraParams: { license_no: '1' } },
      ),
    'extraParams.license_no is a param of the operation: pass it as one',
  ],
  [
    'a value that no query can contain',
    () => client.sessions.list({}, { extraParams: { filter: { a: 1 } } }),
    'filter must be a string, a number',
  ],
  ['a list', () => client.sessions.list({}, { extraParams: [] as never }), 'extraParams must be an object of names'],
])('extraParams with %s are rejected', async (_, send, message) => {
  expect(String(await thrownBy(send()))).toContain(message)
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
