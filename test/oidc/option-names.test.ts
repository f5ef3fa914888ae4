// Misspelled on purpose: cspell:ignore nounce

import { expect, it, vi } from 'vitest'
import { ConfigurationError, loginMarkers, OidcClient, validateIdToken } from '../../src/index.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { baseUrl, clientId, clientSecret, idToken, issuer, key } from './issuer.ts'

const made = (options: object) => new OidcClient({ baseUrl, clientId, clientSecret, ...options } as never)

it('rejects an unknown option of jwks with the nearest name', () => {
  expect(() => made({ jwks: { cache: 1 } })).toThrow('jwks.cache is not an option. Did you mean cacheMs?')
})

it('rejects an unknown option of validateIdToken with the nearest name', async () => {
  const options = { jwks: { keys: [key.jwk] }, issuer: baseUrl, audience: clientId, clockTolerance: 5 }

  const validated = validateIdToken(idToken(), options as never)

  await expect(validated).rejects.toBeInstanceOf(ConfigurationError)
  await expect(validated).rejects.toThrow(
    'validateIdToken: clockTolerance is not an option. Did you mean clockToleranceSeconds?',
  )
})

it('loginMarkers requires a store at construction', () => {
  expect(() => loginMarkers({ secret: 'x' } as never)).toThrow(/^loginMarkers: store is missing: pass a Store/)
})

it('names the environment variable of a blank credential, if it comes from there', () => {
  vi.stubEnv('SVC_CLIENT_SECRET', ' ')

  expect(() => made({ clientSecret: undefined })).toThrow(/not blank: check SVC_CLIENT_SECRET$/)
  expect(() => made({ clientSecret: ' ' })).toThrow(/^OidcClient: clientSecret must be a string that is not blank$/)
})

it.each(['clientId', 'clientSecret'])('names what was copied with %s', (name) => {
  const variable = name === 'clientId' ? 'SVC_CLIENT_ID' : 'SVC_CLIENT_SECRET'
  for (const [value, fault] of [
    ['abc\n', 'be one visible line without spaces around it, not undefined or null'],
    [' abc', 'be one visible line without spaces around it, not undefined or null'],
    ['undefined', 'be one visible line without spaces around it, not undefined or null'],
    ['\ufeffabc', 'be one visible line without spaces around it, not undefined or null'],
  ] as const) {
    vi.stubEnv(variable, value)
    expect(() => made({ [name]: value })).toThrow(
      new ConfigurationError({ message: `OidcClient: ${name} must ${fault}` }),
    )
    expect(() => made({ [name]: undefined })).toThrow(`${name} must ${fault}: check ${variable}`)
  }
})

const { client } = issuer()

it.each<[what: string, call: (oidc: ReturnType<typeof client>) => Promise<unknown>, message: string]>([
  [
    'a required scope',
    (oidc) => oidc.validateAccessToken(idToken(), { scopes: ['admin'] } as never),
    'scopes is not an option. Did you mean scope?',
  ],
  [
    'a required scope as text',
    (oidc) => oidc.validateAccessToken(idToken(), 'admin' as never),
    'expected must be an object, not a string',
  ],
  ['an audience', (oidc) => oidc.validateAccessToken(idToken(), { aud: 'x' } as never), 'aud is not an option'],
  [
    'a nonce',
    (oidc) => oidc.validateIdToken(idToken(), { nounce: 'x' } as never),
    'nounce is not an option. Did you mean nonce?',
  ],
  [
    'a nonce of an exchange',
    (oidc) => oidc.exchangeCode({ code: 'c', nounce: 'x' } as never),
    'nounce is not an option. Did you mean nonce?',
  ],
  [
    'a scope of a sign-in',
    (oidc) => oidc.createAuthorization({ scopes: ['profile'] } as never),
    'scopes is not an option. Did you mean scope?',
  ],
])('%s under another name is rejected, because nothing would be checked', async (_, call, message) => {
  const error = await thrownBy(call(client()))

  expect(error).toMatchObject({ name: 'InvalidParamsError' })
  expect(String(error)).toContain(message)
})
