import { keysPath, readKeys } from '../../contract/sign-in/oidc.ts'
import { ConfigurationError, inCall } from '../../errors/sdk-error.ts'
import { HttpClient } from '../../http/http-client.ts'
import type { ClientOptions } from '../../http/params/options.ts'
import { aFunction, checkOptions } from '../../options/rules.ts'
import { LruMap } from '../../runtime/lru-map.ts'
import { isSecureUrl } from '../../runtime/secure-url.ts'
import { fixedKeys, JwksCache, type KeyProvider } from '../jwks/jwks-cache.ts'
import { clockToleranceSeconds, defaultToleranceSeconds } from '../options.ts'
import { readIssuers, readJwksOptions } from '../settings.ts'
import { checkIdToken, type IdTokenClaims, type IdTokenExpectations } from './id-token.ts'

/** What an id_token is compared with. */
export interface ValidateIdTokenOptions extends IdTokenExpectations, Pick<ClientOptions, 'fetch'> {
  /**
   * The issuer's key set, or the URL that publishes it (https, or http to a loopback host).
   *
   * @throws {ConfigurationError} if it is `undefined`, like an environment variable that is not set
   */
  readonly jwks: { readonly keys: readonly object[] } | URL | string | undefined
  /** The accepted issuer, or several. @throws {ConfigurationError} if it is `undefined` */
  readonly issuer: string | readonly string[] | undefined
  /** The client id that the token must be for. @throws {ConfigurationError} if it is `undefined` */
  readonly audience: string | undefined
  /** Maximum difference between the clocks of this machine and the issuer, in seconds, 0 to 300. @default 30 */
  readonly clockToleranceSeconds?: number | undefined
}

/** What takes the options, for error messages. */
const owner = 'validateIdToken'

/** Maximum number of URLs whose keys are cached, for each `fetch`. */
const maxCachedUrls = 16
const cachesByFetch = new WeakMap<object, LruMap<string, JwksCache>>()
/** Stands for the default transport in `cachesByFetch`. */
const defaultFetch = {}

/**
 * Validates an id_token without a client, for services that only receive tokens. The keys behind a URL are cached in
 * this process, with the defaults of `OidcClient`. Imported keys of a key set are reused, also if you pass a new object
 * with the same keys.
 *
 * @typeParam Claims types of further claims. They are not validated
 * @throws {TokenValidationError} the token is rejected; see `reason`
 * @throws {ConfigurationError} an option is missing or invalid
 * @see OpenID Connect Core, section 3.1.3.7
 *
 * @example
 * const { sub } = await validateIdToken(idToken, {
 *   jwks: 'https://id.example.com/api/auth/oidc/jwks.json',
 *   issuer: 'https://id.example.com',
 *   audience: clientId,
 * })
 */
export async function validateIdToken<Claims extends object = IdTokenClaims>(
  idToken: string,
  options: ValidateIdTokenOptions,
): Promise<IdTokenClaims & Claims> {
  checkOptions(owner, options, {
    jwks: true,
    issuer: true,
    audience: true,
    nonce: true,
    accessToken: true,
    clockToleranceSeconds,
    fetch: aFunction,
  })
  const { audience, issuer, nonce, accessToken } = options
  if (issuer === undefined) throw missing('issuer', 'the issuer of the tokens, such as https://id.example.com')
  const issuers = readIssuers(owner, issuer)
  if (typeof audience !== 'string' || audience === '')
    throw missing('audience', 'the client id that the token must be for')
  const rules = {
    issuers,
    now: Date.now() / 1000,
    toleranceSeconds: options.clockToleranceSeconds ?? defaultToleranceSeconds,
    clientId: audience,
  }
  const keys = keysOf(options)
  const claims = await inCall(owner, () => checkIdToken(idToken, keys, rules, { nonce, accessToken }))
  return claims as IdTokenClaims & Claims
}

const missing = (option: keyof ValidateIdTokenOptions, what: string) =>
  new ConfigurationError({
    message: `${owner}: ${option} is missing: pass ${what}, or set the environment variable that you pass`,
  })

function keysOf({ jwks, fetch }: ValidateIdTokenOptions): KeyProvider {
  if (typeof jwks === 'object' && jwks !== null && 'keys' in jwks) {
    if (!Array.isArray(jwks.keys))
      throw new ConfigurationError({ message: `${owner}: jwks.keys must be an array of JWKs` })
    return fixedKeys(jwks.keys)
  }
  if (jwks === undefined)
    throw missing('jwks', `the key set of the issuer, or its URL, such as https://id.example.com${keysPath}`)
  const url = String(jwks)
  if (!URL.canParse(url)) {
    throw new ConfigurationError({
      message: `${owner}: jwks must be a key set { keys: [...] } or an absolute URL`,
    })
  }
  const caches = cachesByFetch.get(fetch ?? defaultFetch) ?? new LruMap<string, JwksCache>(maxCachedUrls)
  cachesByFetch.set(fetch ?? defaultFetch, caches)
  const cache = caches.get(url) ?? createCache(new URL(url), fetch)
  caches.set(url, cache)
  return cache
}

function createCache(url: URL, fetch: ClientOptions['fetch']): JwksCache {
  if (url.username !== '' || url.password !== '')
    throw new ConfigurationError({ message: `${owner}: jwks must be a URL without credentials` })
  if (!isSecureUrl(url))
    throw new ConfigurationError({
      message: `${owner}: jwks must be https (http is for loopback hosts and SVC_EMULATOR_HOST)`,
    })
  const noCredentials = { headers: {}, secrets: [] }
  const options = { baseUrl: url.origin, fetch }
  const http = new HttpClient({ owner, options, baseUrlVariable: 'jwks', auth: () => noCredentials })
  const { timeoutMs, cacheMs, maxStaleMs } = readJwksOptions(owner)
  const endpoint = { ...readKeys, path: url.pathname, undeclared: true }
  const query = Object.fromEntries([...url.searchParams.keys()].map((name) => [name, url.searchParams.getAll(name)]))
  const fetchKeys = async () => (await http.send(endpoint, { query }, { timeoutMs, maxRetries: 0 })).keys
  return new JwksCache({ cacheMs, maxStaleMs, timeoutMs, timing: http.timing, fetch: fetchKeys })
}
