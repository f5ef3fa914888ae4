import * as z from 'zod/mini'
import { type Endpoint, endpoint } from './endpoint.ts'
import { idOrNumber, type MoreFields, maybe, maybeFlag, maybeText, nonEmpty, schemaFor } from './fields.ts'
import { oneOf } from './rules.ts'
import { schema } from './schema.ts'

/** How long a one-time login marker holds (contract, section 8). */
export const loginMarkerMs = 600_000

/** Who signed in by the legacy flow (contract, section 4.8). */
export interface LegacyUser extends MoreFields {
  readonly id: string | number
  readonly email?: string | null | undefined
  readonly username?: string | null | undefined
  readonly name?: string | null | undefined
  readonly svc_id?: string | null | undefined
  readonly avatar_url?: string | null | undefined
  readonly created_at?: string | null | undefined
}

export interface LegacyTokens extends MoreFields {
  readonly access_token: string
  readonly token_type: string
  /** Seconds. */
  readonly expires_in: number
  readonly refresh_token?: string | null | undefined
}

export interface LegacyTokenSet extends LegacyTokens {
  readonly user: LegacyUser
}

export interface LegacyUserInfo extends MoreFields {
  readonly sub: string
  readonly email?: string | null | undefined
  readonly first_name?: string | null | undefined
  readonly last_name?: string | null | undefined
  readonly full_name?: string | null | undefined
  readonly svc_id?: string | null | undefined
  readonly id_verified?: boolean | null | undefined
  readonly created_at?: string | null | undefined
}

export interface LegacyLicense extends MoreFields {
  readonly type?: string | null | undefined
  readonly number?: string | null | undefined
  readonly status?: string | null | undefined
  readonly expires_on?: string | null | undefined
  readonly issuer?: string | null | undefined
}

export interface LegacyVerifiedLicense extends MoreFields {
  readonly license_type?: string | null | undefined
  readonly verified?: boolean | null | undefined
  readonly verified_from?: string | null | undefined
  /** ISO 8601. */
  readonly expire_at?: string | null | undefined
}

export interface LegacyVerifications extends MoreFields {
  /** Falls back to `id_verified` where there was no human check of its own. */
  readonly human_verified?: boolean | null | undefined
  readonly id_verified?: boolean | null | undefined
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
    user: z.looseObject({
      id: idOrNumber(),
      email: maybeText(),
      username: maybeText(),
      name: maybeText(),
      svc_id: maybeText(),
      avatar_url: maybeText(),
      created_at: maybeText(),
    }),
  }),
)

const legacyUserInfo = schemaFor<LegacyUserInfo>()(() =>
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
)

const legacyLicenses = schemaFor<readonly LegacyLicense[]>()(() =>
  z.array(
    z.looseObject({
      type: maybeText(),
      number: maybeText(),
      status: maybeText(),
      expires_on: maybeText(),
      issuer: maybeText(),
    }),
  ),
)

const legacyVerifications = schemaFor<LegacyVerifications>()(() =>
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
)

const removed = { section: '4.8', errors: ['endpoint_removed'] } as const

export const legacyExchangeCode = endpoint({
  ...removed,
  operation: 'oidc.legacy.exchangeCode',
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
  replay: 'never',
  strict: true,
})

export const legacyUserinfo = endpoint({
  ...removed,
  operation: 'oidc.legacy.userinfo',
  replacedBy: 'oidc.validateIdToken',
  method: 'GET',
  path: '/api/auth/tpsso/userinfo',
  response: legacyUserInfo,
  replay: 'safe',
})

export const legacyListLicenses = endpoint({
  ...removed,
  operation: 'oidc.legacy.licenses',
  replacedBy: 'oidc.handleCallback',
  method: 'GET',
  path: '/api/auth/tpsso/licenses',
  response: legacyLicenses,
  unwrap: 'licenses',
  replay: 'safe',
})

export const legacyListVerifications = endpoint({
  ...removed,
  operation: 'oidc.legacy.verifications',
  replacedBy: 'oidc.handleCallback',
  method: 'GET',
  path: '/api/auth/tpsso/verifications',
  response: legacyVerifications,
  unwrap: 'verifications',
  replay: 'safe',
})

export const legacyRefresh = endpoint({
  ...removed,
  operation: 'oidc.legacy.refresh',
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
  unwrap: 'tokens',
  replay: 'never',
  strict: true,
})

/** Every operation of the legacy sign-on. */
export const legacyEndpoints: readonly Endpoint[] = [
  legacyExchangeCode,
  legacyUserinfo,
  legacyListLicenses,
  legacyListVerifications,
  legacyRefresh,
]
