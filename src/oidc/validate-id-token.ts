import { readKeys } from '../contract/oidc.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { HttpClient } from '../http/http-client.ts'
import type { ClientOptions } from '../http/request-options.ts'
import type { IdTokenClaims } from './claims.ts'
import { checkIdToken, type IdTokenExpectations } from './id-token.ts'
import { fixedKeys, KeySource, type Keys } from './key-source.ts'
import { readJwksOptions, readTolerance } from './token-options.ts'

export interface ValidateIdTokenOptions extends IdTokenExpectations, Pick<ClientOptions, 'fetch'> {
  /** The issuer's keys, or where it publishes them (https, or http to a loopback host). */
  readonly jwks: { readonly keys: readonly object[] } | URL | string
  readonly issuer: string | readonly string[]
  /** The client that the token is for. */
  readonly audience: string
  /** How far clocks may differ, in seconds, 0 to 300. @default 30 */
  readonly clockToleranceSeconds?: number | undefined
}

/** Issuers whose keys are remembered between calls. */
const rememberedSources = 16
const sources = new Map<string, KeySource>()
const fixedSets = new WeakMap<object, Keys>()

/**
 * Validates an id_token without a client: for services that only receive tokens. The keys behind an address are
 * cached in this process as `OidcClient` caches them.
 *
 * @throws {TokenValidationError} `reason` tells why
 * @throws {ConfigurationError} an option cannot work
 * @see service contract, section 4.7; OpenID Connect Core, section 3.1.3.7
 *
 * @example
 * const { sub } = await validateIdToken(idToken, {
 *   jwks: 'https://id.example.com/api/auth/oidc/jwks.json',
 *   issuer: 'https://id.example.com',
 *   audience: clientId,
 * })
 */
export async function validateIdToken(
  idToken: string,
  options: ValidateIdTokenOptions,
): Promise<IdTokenClaims> {
  const { audience, issuer, clockToleranceSeconds, nonce, accessToken } = options
  const issuers = [issuer].flat().filter((name) => typeof name === 'string' && name !== '')
  if (issuers.length === 0) throw new ConfigurationError('issuer is missing')
  if (typeof audience !== 'string' || audience === '') throw new ConfigurationError('audience is missing')
  const rules = {
    issuers,
    now: Date.now() / 1000,
    toleranceSeconds: readTolerance(clockToleranceSeconds),
    clientId: audience,
  }
  return checkIdToken(idToken, keysOf(options), rules, { nonce, accessToken })
}

function keysOf({ jwks, fetch }: ValidateIdTokenOptions): Keys {
  if (typeof jwks === 'object' && 'keys' in jwks) {
    if (!Array.isArray(jwks.keys)) throw new ConfigurationError('jwks.keys must be a list')
    const known = fixedSets.get(jwks) ?? fixedKeys(jwks.keys)
    fixedSets.set(jwks, known)
    return known
  }
  const address = String(jwks)
  if (!URL.canParse(address)) throw new ConfigurationError('jwks must be a set of keys or an absolute URL')
  const known = fetch === undefined ? sources.get(address) : undefined
  if (known) return known
  const source = sourceAt(new URL(address), fetch)
  if (fetch !== undefined) return source
  const [oldest] = sources.keys()
  if (sources.size >= rememberedSources && oldest !== undefined) sources.delete(oldest)
  sources.set(address, source)
  return source
}

function sourceAt(url: URL, fetch: ClientOptions['fetch']): KeySource {
  const grant = { headers: {}, secrets: [] }
  const options = { baseUrl: url.origin, fetch }
  const http = new HttpClient({ options, baseUrlVariable: 'jwks', credentials: () => grant })
  const { timeoutMs, cacheMs, maxStaleMs } = readJwksOptions()
  const endpoint = { ...readKeys, path: url.pathname }
  const query = Object.fromEntries(url.searchParams)
  const read = async () => (await http.send(endpoint, { query }, { timeoutMs, maxRetries: 0 })).keys
  return new KeySource({ cacheMs, maxStaleMs, now: http.timing.now, fetch: read })
}
