import { ConfigurationError } from '../errors/sdk-error.ts'
import { aSecret, checkOptions, milliseconds, notBlank, timeSpan } from '../options/rules.ts'
import { readSetting } from '../options/settings.ts'
import { isRedirectUri, redirectUriForm } from '../runtime/secure-url.ts'
import type { JwksOptions } from './options.ts'

const cacheTime = /* @__PURE__ */ milliseconds({ from: 0 })

/** @throws {ConfigurationError} the value is missing or blank */
export function readCredential(
  owner: string,
  option: string,
  variable: string,
  credential: string | undefined,
): string {
  const value = readSetting(owner, option, variable, credential)
  const broken = [notBlank, aSecret].find((rule) => !rule.allows(value))
  if (broken === undefined) return value as string
  const source = credential === undefined ? `: check ${variable}` : ''
  throw new ConfigurationError({ message: `${owner}: ${option} must ${broken.form}${source}` })
}

/** @throws {ConfigurationError} a value is out of bounds */
export function readJwksOptions(
  owner: string,
  options: JwksOptions = {},
): Required<{ [Name in keyof JwksOptions]: number }> {
  checkOptions(
    owner,
    options,
    {
      cacheMs: cacheTime,
      maxStaleMs: cacheTime,
      timeoutMs: timeSpan,
    },
    'jwks.',
  )
  const { cacheMs = 600_000, maxStaleMs = 3_600_000, timeoutMs = 5_000 } = options
  return { cacheMs, maxStaleMs, timeoutMs }
}

/** @throws {ConfigurationError} the list is empty, or an issuer is not a string or empty */
export function readIssuers(owner: string, issuer: unknown): readonly string[] {
  const issuers: unknown[] = Array.isArray(issuer) ? [...issuer] : [issuer]
  if (issuers.length > 0 && issuers.every((name) => typeof name === 'string' && name !== '')) {
    return issuers as string[]
  }
  throw new ConfigurationError({
    message: `${owner}: issuer must be a non-empty string, or a non-empty list of such strings`,
  })
}

/** @throws {ConfigurationError} one is not valid, the list is empty, or two have one origin */
export function readRedirectUris(
  owner: string,
  redirectUri: string | readonly string[] | undefined,
): readonly string[] {
  if (redirectUri === undefined) return []
  const redirectUris = [redirectUri].flat()
  if (redirectUris.length === 0 || !redirectUris.every((uri) => isRedirectUri(uri)))
    throw new ConfigurationError({ message: `${owner}: redirectUri ${redirectUriForm}` })
  if (new Set(redirectUris.map((uri) => new URL(uri).origin)).size < redirectUris.length)
    throw new ConfigurationError({
      message: `${owner}: a list in redirectUri must have one URL for each origin, because a request selects one by its origin`,
    })
  return redirectUris
}
