import * as z from 'zod/mini'
import { type Endpoint, endpoint } from './endpoint.ts'
import { idOrNumber, type MoreFields, maybe, nonEmpty, schemaFor } from './fields.ts'
import { oneOf } from './rules.ts'

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

const text = maybe(z.string())
const flag = maybe(z.boolean())

const tokenFields = {
  access_token: nonEmpty,
  token_type: z.string(),
  expires_in: z.number(),
  refresh_token: text,
}

const legacyTokens = schemaFor<LegacyTokens>()(z.looseObject(tokenFields))

const legacyTokenSet = schemaFor<LegacyTokenSet>()(
  z.looseObject({
    ...tokenFields,
    user: z.looseObject({
      id: idOrNumber,
      email: text,
      username: text,
      name: text,
      svc_id: text,
      avatar_url: text,
      created_at: text,
    }),
  }),
)

const legacyUserInfo = schemaFor<LegacyUserInfo>()(
  z.looseObject({
    sub: z.string(),
    email: text,
    first_name: text,
    last_name: text,
    full_name: text,
    svc_id: text,
    id_verified: flag,
    created_at: text,
  }),
)

const legacyLicenses = z.array(
  schemaFor<LegacyLicense>()(
    z.looseObject({ type: text, number: text, status: text, expires_on: text, issuer: text }),
  ),
)

const legacyVerifications = schemaFor<LegacyVerifications>()(
  z.looseObject({
    human_verified: flag,
    id_verified: flag,
    licenses: maybe(
      z.array(z.looseObject({ license_type: text, verified: flag, verified_from: text, expire_at: text })),
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
  body: z.looseObject({
    grant_type: oneOf(['authorization_code']),
    client_id: nonEmpty,
    client_secret: nonEmpty,
    code: nonEmpty,
    redirect_uri: z.optional(z.string()),
  }),
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
  body: z.looseObject({
    refresh_token: nonEmpty,
    client_id: z.optional(z.string()),
    client_secret: z.optional(z.string()),
    rotate_refresh: z.optional(z.boolean()),
  }),
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
