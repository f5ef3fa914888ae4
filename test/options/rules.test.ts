// Misspelled on purpose: cspell:ignore Retrie haeders

import { expect, it } from 'vitest'
import { expressSignIn, expressWebhook } from '../../src/express.ts'
import {
  ConfigurationError,
  createSignInHandler,
  createTokenManager,
  loginMarkers,
  OidcClient,
  OrgClient,
  VerificationClient,
} from '../../src/index.ts'
import { memoryStore } from '../../src/stores/memory.ts'
import { postgresStore } from '../../src/stores-postgres.ts'
import { redisStore } from '../../src/stores-redis.ts'
import { testStore } from '../../src/stores-testing.ts'
import { createEventProcessor, createWebhookHandler } from '../../src/webhooks.ts'
import { apiKey, baseUrl } from '../support/verification-client.ts'

const redis = { isOpen: true, eval: async () => null }
const postgres = { query: async () => ({ rows: [] }) }
const store = memoryStore()
const app = { baseUrl, clientId: 'app', clientSecret: 'shh' }
const oidc = new OidcClient({ ...app, redirectUri: 'https://app.example.test/callback' })
const signIn = { oidc, store, cookieSecret: 'x'.repeat(32), onSignIn: () => {} }
const webhooks = { secret: 'whsec', onTestEvent: () => {} }

/** Everything that takes options and throws a `ConfigurationError`, with an option that has a longer name. */
const takers: [name: string, take: (options: never) => unknown, options: object][] = [
  ['VerificationClient', (options) => new VerificationClient(options), { baseUrl, apiKey }],
  ['OrgClient', (options) => new OrgClient(options), app],
  ['OidcClient', (options) => new OidcClient(options), app],
  ['createTokenManager', (options) => createTokenManager(options), { oidc, store }],
  ['loginMarkers', (options) => loginMarkers(options), { secret: 'x', store }],
  ['createSignInHandler', (options) => createSignInHandler(options), signIn],
  ['expressSignIn', (options) => expressSignIn(options), signIn],
  ['createWebhookHandler', (options) => createWebhookHandler(options), webhooks],
  ['createEventProcessor', (options) => createEventProcessor(options), { onTestEvent: () => {} }],
  ['expressWebhook', (options) => expressWebhook(options), webhooks],
  ['memoryStore', (options) => memoryStore(options), {}],
  ['redisStore', (options) => redisStore(redis, options), {}],
  ['postgresStore', (options) => postgresStore(postgres, options), {}],
  ['testStore', (options) => testStore(() => memoryStore(), options), {}],
]

it.each([
  [{ cacheMs: 1, flavor: 'canary' }, 'jwks.flavor is not an option. The options are cacheMs'],
  ['sk_live_canary', 'jwks must be an object, not a string'],
  [{ cacheMs: '1' }, 'jwks.cacheMs must be a whole number of milliseconds'],
])('the options of an option are named with it', (jwks, message) => {
  const create = () => new OidcClient({ ...app, jwks: jwks as never })

  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(`OidcClient: ${message}`)
  expect(create).not.toThrow('canary')
})

it.each(takers)('%s accepts its options and rejects any other name', (name, take, options) => {
  expect(() => take(options as never)).not.toThrow()
  const create = () => take({ ...options, flavor: 'canary' } as never)

  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(new RegExp(`^${name}: flavor is not an option\\. The options are \\w+`))
  expect(create).not.toThrow('canary')
})

it.each(takers)('%s rejects options that are a string or another value, without printing it', (name, take) => {
  for (const [given, form] of [
    ['sk_live_canary', 'a string'],
    [42, 'a number'],
    [() => {}, 'a function'],
    [['sk_live_canary'], 'an array'],
    [null, 'null'],
  ] as const) {
    const create = () => take(given as never)

    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(`${name}: the options must be an object, not ${form}.`)
    expect(create).not.toThrow('canary')
  }
})

it.each([
  ['baseURL', 'baseUrl'],
  ['base_url', 'baseUrl'],
  ['url', 'baseUrl'],
  ['timeout', 'timeoutMs'],
  ['retries', 'maxRetries'],
  ['maxRetrie', 'maxRetries'],
  ['apikey', 'apiKey'],
  ['key', 'apiKey'],
  ['header', 'headers'],
  ['haeders', 'headers'],
])('an option %s is rejected with the nearest known name, %s', (name, nearest) => {
  const create = () => new VerificationClient({ baseUrl, apiKey, [name]: undefined })

  expect(create).toThrow(`VerificationClient: ${name} is not an option. Did you mean ${nearest}?`)
})

it('a name that could be a value is not printed', () => {
  const create = () => new VerificationClient({ baseUrl, apiKey, 'ada lovelace': 1 } as never)

  expect(create).toThrow('VerificationClient: ? is not an option.')
  expect(create).not.toThrow(/lovelace/)
})
