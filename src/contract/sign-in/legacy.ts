import * as z from 'zod/mini'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { idOrNumber, maybe, maybeFlag, maybeText, nonEmpty, oneOf, untyped } from '../schema/fields.ts'
import type { MoreFields } from '../schema/open-types.ts'
import { schema, schemaFor } from '../schema/schema.ts'

/** How long a one-time login marker holds (contract, section 8). */
export const loginMarkerMs = 600_000

/** Who signed in by the legacy flow (contract, section 4.8). */
export interface LegacyUser extends MoreFields {
  /** Names the person at the service. */
  readonly id: string | number
  /** Missing or `null` where there is none. */
  readonly email?: string | null | undefined
  /** Missing or `null` where there is none. */
  readonly username?: string | null | undefined
  /** Missing or `null` where there is none. */
  readonly name?: string | null | undefined
  /** Names their identity, where there is one. */
  readonly svc_id?: string | null | undefined
  /** Address of a picture. */
  readonly avatar_url?: string | null | undefined
  /** When the account was made; the form is not shown. */
  readonly created_at?: string | null | undefined
}

/** Tokens of the legacy sign-on (contract, section 4.8). */
export interface LegacyTokens extends MoreFields {
  /** A bearer token. */
  readonly access_token: string
  /** Its value is not shown. */
  readonly token_type: string
  /** Seconds. */
  readonly expires_in: number
  /** Gets the next tokens. */
  readonly refresh_token?: string | null | undefined
}

/** Tokens and whose they are (contract, section 4.8). */
export interface LegacyTokenSet extends LegacyTokens {
  /** Who signed in. */
  readonly user: LegacyUser
}

/** What an account says about its person (contract, section 4.8). */
export interface LegacyUserInfo extends MoreFields {
  /** Names the person at the service. */
  readonly sub: string
  /** Missing or `null` where there is none. */
  readonly email?: string | null | undefined
  /** Missing or `null` where there is none. */
  readonly first_name?: string | null | undefined
  /** Missing or `null` where there is none. */
  readonly last_name?: string | null | undefined
  /** Missing or `null` where there is none. */
  readonly full_name?: string | null | undefined
  /** Names their identity, where there is one. */
  readonly svc_id?: string | null | undefined
  /** Whether an ID was verified. */
  readonly id_verified?: boolean | null | undefined
  /** When the account was made; the form is not shown. */
  readonly created_at?: string | null | undefined
}

/** A licence on an account (contract, section 4.8). */
export interface LegacyLicense extends MoreFields {
  /** Kind of licence. */
  readonly type?: string | null | undefined
  /** As the board writes it. */
  readonly number?: string | null | undefined
  /** Its values are not shown. */
  readonly status?: string | null | undefined
  /** The form of the date is not shown. */
  readonly expires_on?: string | null | undefined
  /** Who issued it. */
  readonly issuer?: string | null | undefined
}

/** Whether a licence on an account was verified (contract, section 4.8). */
export interface LegacyVerifiedLicense extends MoreFields {
  /** Kind of licence. */
  readonly license_type?: string | null | undefined
  /** Whether a board confirmed it. */
  readonly verified?: boolean | null | undefined
  /** What confirmed it; `null` where nothing did. */
  readonly verified_from?: string | null | undefined
  /** ISO 8601. */
  readonly expire_at?: string | null | undefined
}

/** What was verified about an account (contract, section 4.8). */
export interface LegacyVerifications extends MoreFields {
  /** Falls back to `id_verified` where there was no human check of its own. */
  readonly human_verified?: boolean | null | undefined
  /** Whether an ID was verified. */
  readonly id_verified?: boolean | null | undefined
  /** One entry a licence. */
  readonly licenses?: readonly LegacyVerifiedLicense[] | null | undefined
}

const tokenFields = () => ({
  access_token: nonEmpty(),
  token_type: z.string(),
  expires_in: z.number(),
  refresh_token: maybeText(),
})

const legacyTokens = schemaFor<LegacyTokens>()(() => z.looseObject(tokenFields()))

const legacyTokenSet = schemaFor<LegacyTokenSet>()(() =>
  z.looseObject({
    ...tokenFields(),
    user: untyped(
      z.looseObject({
        id: idOrNumber(),
        email: maybeText(),
        username: maybeText(),
        name: maybeText(),
        svc_id: maybeText(),
        avatar_url: maybeText(),
        created_at: maybeText(),
      }),
    ),
  }),
)

const legacyUserInfo = schemaFor<LegacyUserInfo>()(() =>
  untyped(
    z.looseObject({
      sub: z.string(),
      email: maybeText(),
      first_name: maybeText(),
      last_name: maybeText(),
      full_name: maybeText(),
      svc_id: maybeText(),
      id_verified: maybeFlag(),
      created_at: maybeText(),
    }),
  ),
)

const legacyLicenses = schemaFor<readonly LegacyLicense[]>()(() =>
  z.array(
    untyped(
      z.looseObject({
        type: maybeText(),
        number: maybeText(),
        status: maybeText(),
        expires_on: maybeText(),
        issuer: maybeText(),
      }),
    ),
  ),
)

const legacyVerifications = schemaFor<LegacyVerifications>()(() =>
  untyped(
    z.looseObject({
      human_verified: maybeFlag(),
      id_verified: maybeFlag(),
      licenses: maybe(
        z.array(
          z.looseObject({
            license_type: maybeText(),
            verified: maybeFlag(),
            verified_from: maybeText(),
            expire_at: maybeText(),
          }),
        ),
      ),
    }),
  ),
)

export const legacyExchangeCode = endpoint({
  operation: 'oidc.legacy.exchangeCode',
  section: '4.8',
  errors: ['endpoint_removed'],
  replacedBy: 'oidc.exchangeCode',
  method: 'POST',
  path: '/api/auth/tpsso/token',
  body: schema(() =>
    z.looseObject({
      grant_type: oneOf(['authorization_code']),
      client_id: nonEmpty(),
      client_secret: nonEmpty(),
      code: nonEmpty(),
      redirect_uri: z.optional(z.string()),
    }),
  ),
  response: legacyTokenSet,
  strict: legacyTokens,
  replay: 'never',
})

export const legacyUserinfo = endpoint({
  operation: 'oidc.legacy.userinfo',
  section: '4.8',
  errors: ['endpoint_removed'],
  replacedBy: 'oidc.validateIdToken',
  method: 'GET',
  path: '/api/auth/tpsso/userinfo',
  response: legacyUserInfo,
  replay: 'safe',
})

export const legacyListLicenses = endpoint({
  operation: 'oidc.legacy.licenses',
  section: '4.8',
  errors: ['endpoint_removed'],
  replacedBy: 'oidc.handleCallback',
  method: 'GET',
  path: '/api/auth/tpsso/licenses',
  response: legacyLicenses,
  unwrap: 'licenses',
  replay: 'safe',
})

export const legacyListVerifications = endpoint({
  operation: 'oidc.legacy.verifications',
  section: '4.8',
  errors: ['endpoint_removed'],
  replacedBy: 'oidc.handleCallback',
  method: 'GET',
  path: '/api/auth/tpsso/verifications',
  response: legacyVerifications,
  unwrap: 'verifications',
  replay: 'safe',
})

export const legacyRefresh = endpoint({
  operation: 'oidc.legacy.refresh',
  section: '4.8',
  errors: ['endpoint_removed'],
  replacedBy: 'oidc.refresh',
  method: 'POST',
  path: '/api/auth/tpsso/refresh',
  body: schema(() =>
    z.looseObject({
      refresh_token: nonEmpty(),
      client_id: z.optional(z.string()),
      client_secret: z.optional(z.string()),
      rotate_refresh: z.optional(z.boolean()),
    }),
  ),
  response: legacyTokens,
  strict: legacyTokens,
  unwrap: 'tokens',
  replay: 'never',
})

/** Every operation of the legacy sign-on. */
export const legacyEndpoints: readonly Endpoint[] = [
  legacyExchangeCode,
  legacyUserinfo,
  legacyListLicenses,
  legacyListVerifications,
  legacyRefresh,
]
