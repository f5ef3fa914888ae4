// Not ASCII: cspell:ignore ünicode

import { expect, it, vi } from 'vitest'
import {
  ConfigurationError,
  OrgClient,
  VerificationClient,
  type VerificationClientOptions,
} from '../../../src/index.ts'
import { scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { apiKey, baseUrl, testClient } from '../../support/verification-client.ts'

const noFetch = () => expect.fail('something was sent')
const log = () => {}

it.each<[name: string, values: unknown[]]>([
  ['timeoutMs', [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '1000', null]],
  ['deadlineMs', [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '1000', null]],
  ['maxRetries', [-1, 11, 1.5, Number.NaN, '2', null]],
  ['connections', [0, -1, 1.5, '2']],
  ['maxResponseBytes', [0, -1, 1.5, Number.NaN, '2']],
  ['fetch', ['fetch', {}, null]],
  ['dispatcher', ['proxy', {}, null]],
  ['onEvent', ['console', {}, null]],
  ['logger', ['console', {}, { debug: log, info: log, warn: log }, null]],
  ['http2', ['yes', 1, null]],
  ['responseValidation', ['lenient', true, null]],
  ['auth', ['basic', null]],
  ['apiKey', ['', ' padded', 'padded ', 'a\r\nb', 'a\0b', 'a\u0100b', 7]],
  ['headers', [[['a', 'b']], new Map(), 'a: b', null]],
])('rejects invalid values of the option %s', (name, values) => {
  for (const value of values) {
    const options = { baseUrl, apiKey, [name]: value } as VerificationClientOptions
    const create = () => new VerificationClient(options)

    expect(create, `${name}: ${String(value)}`).toThrow(ConfigurationError)
    expect(create, `${name}: ${String(value)}`).toThrow(new RegExp(`^VerificationClient: ${name} must `))
  }
})

it.each([
  ['sk_live\u2026abc', 'not contain U+2026: copy it again'],
  ['\u201csk_live\u201d', 'not contain U+201C: copy it again'],
  ['sk_live\u{1f511}', 'not contain U+1F511: copy it again'],
  ['sk_\u200blive', 'not contain U+200B: copy it again'],
  ['sk_\u00adlive', 'not contain U+00AD: copy it again'],
  ['\ufeffsk_live', 'not contain U+FEFF: copy it again'],
  ['sk_live\n', 'be a non-empty string without line breaks and without spaces around it'],
  ['undefined', 'be one visible line without spaces around it, not undefined or null'],
])('names the character of a credential that cannot be right: %j', async (key, fault) => {
  const message = `apiKey must ${fault}`
  expect(() => new VerificationClient({ baseUrl, apiKey: key })).toThrow(
    new ConfigurationError({ message: `VerificationClient: ${message}` }),
  )
  await expect(new VerificationClient({ baseUrl, apiKey: () => key }).sessions.list()).rejects.toThrow(
    `sessions.list: ${message}`,
  )
  expect(() => new OrgClient({ baseUrl, clientId: 'id', clientSecret: key })).toThrow(
    new ConfigurationError({ message: `OrgClient: clientSecret must ${fault}` }),
  )
})

it.each<VerificationClientOptions>([
  { timeoutMs: 1, deadlineMs: 2 ** 31 - 1 },
  { maxRetries: 0 },
  { maxRetries: 10 },
  { logger: console },
  { apiKey: 'key with ünicode in latin-1' },
])('accepts the limits of options: %j', (options) => {
  expect(() => new VerificationClient({ baseUrl, apiKey, ...options })).not.toThrow()
})

it('rejects a dispatcher together with a fetch', () => {
  const options: object = { baseUrl, apiKey, fetch: globalThis.fetch, dispatcher: { dispatch: () => true } }

  expect(() => new VerificationClient(options)).toThrow(ConfigurationError)
  expect(() => new VerificationClient(options)).toThrow(/fetch.*dispatcher.*not both/)
})

it('names the option and the environment variable if the API key is missing', () => {
  vi.stubEnv('SVC_API_KEY', '')

  expect(() => new VerificationClient({ baseUrl })).toThrow(
    /^VerificationClient: apiKey is missing: pass it, or set SVC_API_KEY$/,
  )
  const options = { baseUrl, apiKey: null } as unknown as VerificationClientOptions
  expect(() => new VerificationClient(options)).toThrow(
    /^VerificationClient: apiKey is missing: pass it, or set SVC_API_KEY$/,
  )
})

it('defaults the API key to SVC_API_KEY', async () => {
  vi.stubEnv('SVC_API_KEY', 'key_from_the_environment')
  const { fetch, requests } = scriptedFetch(succeed())

  await new VerificationClient({ baseUrl, fetch }).sessions.retrieve('s')

  expect(requests[0]?.headers.get('x-api-key')).toBe('key_from_the_environment')
})

it('looks up the global fetch at each call if SVC_TRANSPORT is fetch', async () => {
  vi.stubEnv('SVC_TRANSPORT', 'fetch')
  const { fetch, requests } = scriptedFetch(succeed())
  const client = new VerificationClient({ baseUrl, apiKey })
  vi.stubGlobal('fetch', fetch)

  await client.sessions.retrieve('s')

  expect(requests).toHaveLength(1)
})

it('reads options once, in the constructor', async () => {
  const { fetch, requests } = scriptedFetch(succeed())
  const options = { baseUrl, apiKey, fetch, headers: { 'x-tenant': 'a' } }
  const client = new VerificationClient(options)
  options.fetch = noFetch
  options.headers['x-tenant'] = 'b'
  options.apiKey = 'another'

  await client.sessions.retrieve('s')

  expect(requests[0]?.headers.get('x-tenant')).toBe('a')
  expect(requests[0]?.headers.get('x-api-key')).toBe(apiKey)
})

it.each([
  ['throws', () => expect.fail('the vault is closed')],
  ['rejects', () => Promise.reject(new Error('the vault is closed'))],
  ['returns an empty string', () => ''],
  ['returns a line break', () => 'a\r\nb'],
  ['returns undefined', () => undefined as never],
])('sends nothing if an apiKey function %s', async (_, key) => {
  const { client } = testClient({ fetch: noFetch, apiKey: key })

  await expect(client.sessions.retrieve('s')).rejects.toBeInstanceOf(ConfigurationError)
})

it('says in a page how a test with jsdom chooses the environment node, in Jest and in Vitest', () => {
  vi.stubGlobal('window', { document: {} })

  expect(() => new VerificationClient({ baseUrl, apiKey })).toThrow(ConfigurationError)
  expect(() => new VerificationClient({ baseUrl, apiKey })).toThrow(
    'this client uses server credentials and must not run in a browser page. If this is a test with jsdom or happy-dom,' +
      " run it in the environment node. Jest: testEnvironment: 'node' in jest.config, or the docblock" +
      ' /** @jest-environment node */ at the top of the file. Vitest: environment:' +
      " 'node' in vitest.config, or the comment // @vitest-environment node at the top of the file.",
  )
})

it('throws in a page whose document is a global of its own', () => {
  vi.stubGlobal('window', {})
  vi.stubGlobal('document', {})

  expect(() => new VerificationClient({ baseUrl, apiKey })).toThrow(/browser/)
})

it.each([
  ['runs on a server that has a document to render pages', { node: '22.13.0' }, undefined],
  ['throws in a page of Electron', { node: '22.13.0', electron: '39.0.0' }, /browser/],
  ['throws in a page whose bundle imitates process', {}, /browser/],
])('%s', (_, versions, message) => {
  vi.stubGlobal('window', { document: {} })
  vi.stubGlobal('process', { versions, env: { NODE_ENV: 'production' } })
  let thrown: unknown
  try {
    new VerificationClient({ baseUrl, apiKey, fetch: noFetch })
  } catch (error) {
    thrown = error
  }
  vi.unstubAllGlobals()

  if (message) expect(String(thrown)).toMatch(message)
  else expect(thrown).toBeUndefined()
})

it('runs on a runtime with a window but without a document', () => {
  vi.stubGlobal('window', {})

  expect(() => new VerificationClient({ baseUrl, apiKey })).not.toThrow()
})
