import * as z from 'zod/mini'
import { isLoopback, isRedirectUri, redirectUriForm } from '../../../runtime/secure-url.ts'
import { samplePerson } from '../checks/samples.ts'
import { anyObject, credential, listOf, text, unique } from './fields.ts'

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
  /** Additional claims of the user's id_tokens. @default none */
  readonly claims?: object | undefined
}

const sampleUser: EmulatorUser = { sub: 'user_sample', name: samplePerson.name, email: 'alex@example.com' }

export const oidc = z.strictObject({
  clientId: z._default(credential, 'emulator_client_id'),
  clientSecret: z._default(credential, 'emulator_client_secret'),
  redirectUris: z.optional(
    listOf(
      z.string().check(z.refine(isRedirectUri, { error: ({ input }) => `${redirectUriForm}, not ${input}` })),
    ).check(z.minLength(1, { error: 'must contain at least one URL' })),
  ),
  scopes: z._default(
    listOf(z.string()).check(z.refine((scopes) => scopes.includes('openid'), { error: 'must include openid' })),
    ['openid', 'profile', 'verifications', 'zkp'],
  ),
  active: z._default(z.boolean(), true),
} satisfies Record<keyof EmulatorOidcOptions, unknown>)

const user = z.strictObject({
  sub: text,
  name: z.optional(z.string()),
  email: z.optional(z.string()),
  claims: z.optional(anyObject()),
} satisfies Record<keyof EmulatorUser, unknown>)

export const users = z._default(
  listOf(user).check(
    z.minLength(1, { error: 'must contain at least one user' }),
    unique(({ sub }: EmulatorUser) => sub, 'must each have a sub of their own'),
  ),
  [sampleUser],
)

/** Returns whether the application registered this redirect URI. */
export const redirectsTo = ({ redirectUris }: EmulatorOidcOptions, uri: string): boolean =>
  redirectUris?.includes(uri) ?? isLoopbackUrl(uri)

function isLoopbackUrl(uri: string): boolean {
  if (!URL.canParse(uri)) return false
  const { protocol, hostname } = new URL(uri)
  return /^https?:$/.test(protocol) && isLoopback(hostname)
}
