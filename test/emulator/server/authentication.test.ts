import { afterAll, expect, it } from 'vitest'
import { operations } from '../../support/operations.ts'
import { rosterOperations } from '../../support/roster-operations.ts'
import { apiKey, organization, overHttp } from '../support/service.ts'

const { raw } = await overHttp({ members: [{ email: 'ada@example.com' }] }, afterAll)

// Section 5

const lineOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`

it.each([{ 'X-API-Key': 'key_1' }, { Authorization: 'Bearer key_1' }])(
  'accepts the API key in either header: %j',
  async (headers) => {
    expect((await raw('GET', '/api/v2/session', { headers })).status).toBe(200)
  },
)

const errorOf = async (line: string, headers: Record<string, string>) => {
  const [method = '', path = ''] = line.split(' ')
  const { status, text } = await raw(method, path, { headers })
  const { success, data, error } = JSON.parse(text)
  return [status, success, data, error?.code]
}

it.each(operations.map(lineOf))('%s returns 401 invalid_api_key without the API key', async (line) => {
  const rejected = [401, false, null, 'invalid_api_key']

  expect(await errorOf(line, {})).toEqual(rejected)
  expect(await errorOf(line, { 'X-API-Key': 'key_2' })).toEqual(rejected)
  expect(await errorOf(line, { 'X-API-Key': 'key_11' })).toEqual(rejected)
  expect(await errorOf(line, { 'X-API-Key': '' })).toEqual(rejected)
  expect(await errorOf(line, { Authorization: 'Bearer key_2' })).toEqual(rejected)
  expect(await errorOf(line, { Authorization: 'Basic key_1' })).toEqual(rejected)
  expect(await errorOf(line, { 'X-API-Key': 'key_2', Authorization: 'Bearer key_1' })).toEqual(rejected)
  expect(await errorOf(line, organization)).toEqual(rejected)
})

it.each(rosterOperations.map(lineOf))(
  '%s returns 401 invalid_client without the organization credentials',
  async (line) => {
    const { 'X-Client-Id': id, 'X-Client-Secret': secret } = organization
    const rejected = [401, false, null, 'invalid_client']

    expect(await errorOf(line, {})).toEqual(rejected)
    expect(await errorOf(line, { 'X-Client-Id': id })).toEqual(rejected)
    expect(await errorOf(line, { 'X-Client-Secret': secret })).toEqual(rejected)
    expect(await errorOf(line, { 'X-Client-Id': id, 'X-Client-Secret': 'guess' })).toEqual(rejected)
    expect(await errorOf(line, { 'X-Client-Id': 'org_2', 'X-Client-Secret': secret })).toEqual(rejected)
    expect(await errorOf(line, { ...apiKey, Authorization: 'Bearer key_1' })).toEqual(rejected)
  },
)
