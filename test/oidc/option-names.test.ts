import { expect, it, vi } from 'vitest'
import { ConfigurationError, loginMarkers, OidcClient, validateIdToken } from '../../src/index.ts'
import { baseUrl, clientId, clientSecret, idToken, key } from './issuer.ts'

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
    ['abc\n', 'be one visible line without spaces around it'],
    [' abc', 'be one visible line without spaces around it'],
    ['\ufeffabc', 'be one visible line without spaces around it'],
  ] as const) {
    vi.stubEnv(variable, value)
    expect(() => made({ [name]: value })).toThrow(
      new ConfigurationError({ message: `OidcClient: ${name} must ${fault}` }),
    )
    expect(() => made({ [name]: undefined })).toThrow(`${name} must ${fault}: check ${variable}`)
  }
})
