import { readKeys } from '../../contract/sign-in/oidc.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { HttpClient } from '../../http/http-client.ts'
import { isPrivate } from '../../http/params/base-url.ts'
import type { ClientOptions } from '../../http/params/options.ts'
import { fixedKeys, JwksCache, type Keys } from '../jwks/jwks-cache.ts'
import type { IdTokenClaims } from './claims.ts'
import { checkIdToken, type IdTokenExpectations } from './id-token.ts'
import { readIssuers, readJwksOptions, readTolerance } from './options.ts'

/** What an id_token is held against. */
export interface ValidateIdTokenOptions extends IdTokenExpectations, Pick<ClientOptions, 'fetch'> {
  /** The issuer's keys, or where it publishes them (https, or http to a loopback host). */
  readonly jwks: { readonly keys: readonly object[] } | URL | string
  /** Who may have issued it; any of several. */
  readonly issuer: string | readonly string[]
  /** The client that the token is for. */
  readonly audience: string
  /** How far clocks may differ, in seconds, 0 to 300. @default 30 */
  readonly clockToleranceSeconds?: number | undefined
}

/** Addresses whose keys are remembered between calls, for each `fetch`. */
const rememberedSources = 16
const sources = new WeakMap<object, Map<string, JwksCache>>()
/** What stands for the platform's own way of fetching. */
const ownFetch = {}
const fixedSets = new WeakMap<object, { readonly entries: readonly object[]; readonly keys: Keys }>()

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
  const issuers = readIssuers(issuer)
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
  if (typeof jwks === 'object' && jwks !== null && 'keys' in jwks) return keysIn(jwks.keys)
  const address = String(jwks)
  if (!URL.canParse(address)) throw new ConfigurationError('jwks must be a set of keys or an absolute URL')
  const known = sources.get(fetch ?? ownFetch) ?? new Map<string, JwksCache>()
  sources.set(fetch ?? ownFetch, known)
  const source = known.get(address) ?? sourceAt(new URL(address), fetch)
  const [oldest] = known.keys()
  if (known.size >= rememberedSources && !known.has(address) && oldest !== undefined) known.delete(oldest)
  known.set(address, source)
  return source
}

/** Importing a key costs more than using it, so a set is remembered, for as long as it holds the same keys. */
function keysIn(entries: readonly object[]): Keys {
  if (!Array.isArray(entries)) throw new ConfigurationError('jwks.keys must be a list')
  const known = fixedSets.get(entries)
  if (known?.entries.length === entries.length && known.entries.every((entry, i) => entry === entries[i])) {
    return known.keys
  }
  const keys = fixedKeys(entries)
  fixedSets.set(entries, { entries: [...entries], keys })
  return keys
}

function sourceAt(url: URL, fetch: ClientOptions['fetch']): JwksCache {
  if (url.username !== '' || url.password !== '')
    throw new ConfigurationError('jwks must be an address without credentials')
  if (!isPrivate(url)) throw new ConfigurationError('jwks must be https (http is for loopback hosts only)')
  const grant = { headers: {}, secrets: [] }
  const options = { baseUrl: url.origin, fetch }
  const http = new HttpClient({ options, baseUrlVariable: 'jwks', auth: () => grant })
  const { timeoutMs, cacheMs, maxStaleMs } = readJwksOptions()
  const endpoint = { ...readKeys, path: url.pathname }
  const query = Object.fromEntries(url.searchParams)
  const read = async () => (await http.send(endpoint, { query }, { timeoutMs, maxRetries: 0 })).keys
  return new JwksCache({ cacheMs, maxStaleMs, now: http.timing.now, fetch: read })
}
