import { checkOptions, type OptionRules } from '../../errors/options.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { isLoopback, isRedirectUri, redirectUriForm } from '../../runtime/secure-url.ts'
import { samplePerson } from '../checks/samples.ts'
import { nonBlankText } from './values.ts'

/** Options of the application that signs users in. */
export interface EmulatorOidcOptions {
  /**
   * Client id that requests must send.
   *
   * @default 'emulator_client_id'
   */
  readonly clientId?: string | undefined
  /**
   * Client secret that requests must send.
   *
   * @default 'emulator_client_secret'
   */
  readonly clientSecret?: string | undefined
  /**
   * Registered redirect URIs, compared character by character. Each is https, http to a loopback host, or a private-use
   * scheme with a dot.
   *
   * @default every URL with a loopback host; `options.oidc` then contains `http://localhost:3000/callback`
   */
  readonly redirectUris?: readonly string[] | undefined
  /** Enabled scopes. @default openid, profile, verifications, zkp */
  readonly scopes?: readonly string[] | undefined
  /** Whether the application is active. If not, requests are rejected: see the reading `inactiveApp`. @default true */
  readonly active?: boolean | undefined
}

/** A user who can sign in. */
export interface EmulatorUser {
  /** Value of the claim `sub` in the user's tokens. */
  readonly sub: string
  /** Name on the consent page. */
  readonly name?: string | undefined
  /** Email address. If an active member has this email, the tokens contain the claim `svc_org_member_id`. */
  readonly email?: string | undefined
  /** Additional claims of the user's id_tokens. The service documents none. @default none */
  readonly claims?: object | undefined
}

/** The options with every default filled in. */
export interface SignInSettings {
  readonly clientId: string
  readonly clientSecret: string
  /** The redirect URI in `options.oidc`. */
  readonly redirectUri: string
  readonly redirectsTo: (uri: string) => boolean
  readonly scopes: readonly string[]
  readonly active: boolean
}

const defaultRedirectUri = 'http://localhost:3000/callback'

const sampleUser: EmulatorUser = { sub: 'user_sample', name: samplePerson.name, email: 'alex@example.com' }

const oidcNames = {
  clientId: true,
  clientSecret: true,
  redirectUris: true,
  scopes: true,
  active: true,
} satisfies OptionRules<EmulatorOidcOptions>

const userNames = { sub: true, name: true, email: true, claims: true } satisfies OptionRules<EmulatorUser>

export function readOidc(options: EmulatorOidcOptions): SignInSettings {
  checkOptions('createEmulator: oidc', options, oidcNames)
  const { redirectUris, scopes = ['openid', 'profile', 'verifications', 'zkp'] } = options
  if (redirectUris?.length === 0)
    throw new ConfigurationError({
      message: 'createEmulator: oidc.redirectUris must contain at least one URL',
    })
  const invalid = redirectUris?.find((uri) => !isRedirectUri(uri))
  if (invalid !== undefined)
    throw new ConfigurationError({
      message: `createEmulator: oidc.redirectUris: ${invalid} ${redirectUriForm}`,
    })
  if (!scopes.includes('openid'))
    throw new ConfigurationError({ message: 'createEmulator: oidc.scopes must include openid' })
  return {
    clientId: nonBlankText('oidc.clientId', options.clientId ?? 'emulator_client_id'),
    clientSecret: nonBlankText('oidc.clientSecret', options.clientSecret ?? 'emulator_client_secret'),
    redirectUri: redirectUris?.[0] ?? defaultRedirectUri,
    redirectsTo: redirectUris === undefined ? isLoopbackUrl : (uri) => redirectUris.includes(uri),
    scopes,
    active: options.active ?? true,
  }
}

/** @param users @default one sample person */
export function readUsers(users: readonly EmulatorUser[] = [sampleUser]): readonly EmulatorUser[] {
  if (users.length === 0)
    throw new ConfigurationError({ message: 'createEmulator: users must contain at least one user' })
  for (const user of users) checkOptions('createEmulator: users', user, userNames)
  const subs = users.map(({ sub }) => nonBlankText('users: sub', sub))
  if (new Set(subs).size < subs.length)
    throw new ConfigurationError({ message: 'createEmulator: users: each must have a unique sub' })
  return users
}

function isLoopbackUrl(uri: string): boolean {
  if (!URL.canParse(uri)) return false
  const { protocol, hostname } = new URL(uri)
  return /^https?:$/.test(protocol) && isLoopback(hostname)
}
