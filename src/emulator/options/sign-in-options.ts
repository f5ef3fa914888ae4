import { ConfigurationError } from '../../errors/sdk-error.ts'
import { isLoopback } from '../../runtime/loopback.ts'
import { samplePerson } from '../checks/samples.ts'

/** The application that signs people in. */
export interface EmulatorOidcOptions {
  /**
   * What requests must carry.
   *
   * @default 'emulator_client_id'
   */
  readonly clientId?: string | undefined
  /**
   * What requests must carry.
   *
   * @default 'emulator_client_secret'
   */
  readonly clientSecret?: string | undefined
  /**
   * Where people may be sent back to, compared character by character.
   *
   * @default every address on a loopback host; `options.oidc` then names `http://localhost:3000/callback`
   */
  readonly redirectUris?: readonly string[] | undefined
  /** Scopes that are enabled. @default openid, profile, verifications, zkp */
  readonly scopes?: readonly string[] | undefined
  /** False: it is known, and answered with 403 `unauthorized_client`. @default true */
  readonly active?: boolean | undefined
}

/** Somebody who can sign in. */
export interface EmulatorUser {
  /** What their tokens call them. */
  readonly sub: string
  /** For the consent page. */
  readonly name?: string | undefined
  /** An active member of the roster with this email gets the claim `svc_org_member_id`. */
  readonly email?: string | undefined
  /** Further claims of their id_tokens: the contract shows none. @default none */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
}

/** The options with every default filled in. */
export interface SignInSettings {
  readonly clientId: string
  readonly clientSecret: string
  /** What `options.oidc` offers. */
  readonly redirectUri: string
  readonly redirectsTo: (uri: string) => boolean
  readonly scopes: readonly string[]
  readonly active: boolean
}

const usualRedirect = 'http://localhost:3000/callback'

const sampleUser: EmulatorUser = { sub: 'user_sample', name: samplePerson.name, email: 'alex@example.com' }

export function readOidc(options: EmulatorOidcOptions): SignInSettings {
  const { redirectUris, scopes = ['openid', 'profile', 'verifications', 'zkp'] } = options
  if (redirectUris?.length === 0) throw new ConfigurationError('oidc.redirectUris must name at least one')
  const relative = redirectUris?.find((uri) => !URL.canParse(uri))
  if (relative !== undefined)
    throw new ConfigurationError(`oidc.redirectUris: ${relative} is no absolute URL`)
  if (!scopes.includes('openid')) throw new ConfigurationError('oidc.scopes must include openid')
  return {
    clientId: text('oidc.clientId', options.clientId ?? 'emulator_client_id'),
    clientSecret: text('oidc.clientSecret', options.clientSecret ?? 'emulator_client_secret'),
    redirectUri: redirectUris?.[0] ?? usualRedirect,
    redirectsTo: redirectUris === undefined ? isOnThisMachine : (uri) => redirectUris.includes(uri),
    scopes,
    active: options.active ?? true,
  }
}

/** @param users @default one sample person */
export function readUsers(users: readonly EmulatorUser[] = [sampleUser]): readonly EmulatorUser[] {
  if (users.length === 0) throw new ConfigurationError('users must name at least one')
  const subs = users.map(({ sub }) => text('users: sub', sub))
  if (new Set(subs).size < subs.length) throw new ConfigurationError('users: each needs a sub of its own')
  return users
}

function isOnThisMachine(uri: string): boolean {
  if (!URL.canParse(uri)) return false
  const { protocol, hostname } = new URL(uri)
  return /^https?:$/.test(protocol) && isLoopback(hostname)
}

function text(name: string, value: string): string {
  if (value.trim() === '') throw new ConfigurationError(`${name} must not be blank`)
  return value
}
