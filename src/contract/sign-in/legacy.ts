import type { Endpoint, OperationFacts } from '../endpoint.ts'
import {
  idOrNumber,
  maybe,
  maybeFlag,
  maybeText,
  nonEmpty,
  oneOf,
  schema,
  schemaFor,
  untyped,
} from '../schema/schema.ts'
import * as z from '../schema/zod.ts'

/** Lifetime of a one-time login marker in milliseconds (contract, section 8). */
export const loginMarkerMs = 600_000

/** The tokens of a legacy sign-on (contract, section 4.8). */
export interface LegacyTokens {
  /** The access token. */
  readonly access_token: string
  /** The token type. */
  readonly token_type: string
  /** Lifetime of the access token in seconds. */
  readonly expires_in: number
  /** The refresh token. */
  readonly refresh_token: string
}

/** The tokens and the user of a legacy sign-on (contract, section 4.8). */
export interface LegacyTokenSet extends LegacyTokens {
  /** The user who signed in. */
  readonly user: {
    /** The user's id. */
    readonly id: string | number
    /** Email address. Missing or `null` if there is none. */
    readonly email?: string | null | undefined
    /** Username. Missing or `null` if there is none. */
    readonly username?: string | null | undefined
    /** Name. Missing or `null` if there is none. */
    readonly name?: string | null | undefined
    /** The id of the user's identity, if there is one. */
    readonly svc_id?: string | null | undefined
    /** The address of the user's picture. */
    readonly avatar_url?: string | null | undefined
    /** When the account was created. */
    readonly created_at?: string | null | undefined
  }
}

/** The user info of an account (contract, section 4.8). */
export interface LegacyUserInfo {
  /** The user's id. */
  readonly sub: string
  /** Email address. Missing or `null` if there is none. */
  readonly email?: string | null | undefined
  /** First name. Missing or `null` if there is none. */
  readonly first_name?: string | null | undefined
  /** Last name. Missing or `null` if there is none. */
  readonly last_name?: string | null | undefined
  /** Full name. Missing or `null` if there is none. */
  readonly full_name?: string | null | undefined
  /** The id of the user's identity, if there is one. */
  readonly svc_id?: string | null | undefined
  /** True if an ID was verified. */
  readonly id_verified?: boolean | null | undefined
  /** When the account was created. */
  readonly created_at?: string | null | undefined
}

/** A license on an account (contract, section 4.8). */
export interface LegacyLicense {
  /** The type of license. */
  readonly type?: string | null | undefined
  /** The number as the board writes it. */
  readonly number?: string | null | undefined
  /** The status. */
  readonly status?: string | null | undefined
  /** Expiry date. */
  readonly expires_on?: string | null | undefined
  /** The issuer of the license. */
  readonly issuer?: string | null | undefined
}

/** The verifications of an account (contract, section 4.8). */
export interface LegacyVerifications {
  /** True if a human was verified. Falls back to `id_verified` if there was no explicit human check. */
  readonly human_verified?: boolean | null | undefined
  /** True if an ID was verified. */
  readonly id_verified?: boolean | null | undefined
  /** One entry per license. */
  readonly licenses?:
    | {
        /** The type of license. */
        readonly license_type?: string | null | undefined
        /** True if the license was verified. */
        readonly verified?: boolean | null | undefined
        /** The source of the verification. `null` if there is none. */
        readonly verified_from?: string | null | undefined
        /** When the verification expires, ISO 8601. */
        readonly expire_at?: string | null | undefined
      }[]
    | null
    | undefined
}

const decisiveFields = () => ({ access_token: nonEmpty(), token_type: z.string(), expires_in: z.number() })

const tokenFields = () => ({ ...decisiveFields(), refresh_token: z.string() })

const legacyTokens = /* @__PURE__ */ schemaFor<LegacyTokens>()(() => z.looseObject(tokenFields()))

/** The always validated part. */
const decisiveTokens = /* @__PURE__ */ schema(() => z.looseObject({ ...decisiveFields(), refresh_token: maybeText() }))

const legacyTokenSet = /* @__PURE__ */ schemaFor<LegacyTokenSet>()(() =>
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

const legacyUserInfo = /* @__PURE__ */ schemaFor<LegacyUserInfo>()(() =>
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

const legacyLicenses = /* @__PURE__ */ schemaFor<LegacyLicense[]>()(() =>
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

const legacyVerifications = /* @__PURE__ */ schemaFor<LegacyVerifications>()(() =>
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

export const legacyExchangeCode = {
  operation: 'oidc.legacy.exchangeCode',
  section: '4.8',
  errors: ['endpoint_removed'],
  replacedBy: 'oidc.exchangeCode',
  method: 'POST',
  path: '/api/auth/tpsso/token',
  body: /* @__PURE__ */ schema(() =>
    z.looseObject({
      grant_type: oneOf(['authorization_code']),
      client_id: nonEmpty(),
      client_secret: nonEmpty(),
      code: nonEmpty(),
      redirect_uri: z.optional(z.string()),
    }),
  ),
  response: legacyTokenSet,
  strict: decisiveTokens,
  replay: 'never',
} as const satisfies Endpoint

export const legacyUserinfo = {
  operation: 'oidc.legacy.userinfo',
  section: '4.8',
  errors: ['endpoint_removed'],
  replacedBy: 'oidc.validateIdToken',
  method: 'GET',
  path: '/api/auth/tpsso/userinfo',
  response: legacyUserInfo,
  replay: 'safe',
} as const satisfies Endpoint

export const legacyListLicenses = {
  operation: 'oidc.legacy.licenses',
  section: '4.8',
  errors: ['endpoint_removed'],
  replacedBy: 'oidc.handleCallback',
  method: 'GET',
  path: '/api/auth/tpsso/licenses',
  response: legacyLicenses,
  unwrap: 'licenses',
  replay: 'safe',
} as const satisfies Endpoint

export const legacyListVerifications = {
  operation: 'oidc.legacy.verifications',
  section: '4.8',
  errors: ['endpoint_removed'],
  replacedBy: 'oidc.handleCallback',
  method: 'GET',
  path: '/api/auth/tpsso/verifications',
  response: legacyVerifications,
  unwrap: 'verifications',
  replay: 'safe',
} as const satisfies Endpoint

export const legacyRefresh = {
  operation: 'oidc.legacy.refresh',
  section: '4.8',
  errors: ['endpoint_removed'],
  replacedBy: 'oidc.refresh',
  method: 'POST',
  path: '/api/auth/tpsso/refresh',
  body: /* @__PURE__ */ schema(() =>
    z.looseObject({
      refresh_token: nonEmpty(),
      client_id: z.optional(z.string()),
      client_secret: z.optional(z.string()),
      rotate_refresh: z.optional(z.boolean()),
    }),
  ),
  response: legacyTokens,
  strict: decisiveTokens,
  unwrap: 'tokens',
  replay: 'never',
} as const satisfies Endpoint

/** The operations of the legacy sign-on, as a type. */
export interface LegacyOperations {
  readonly 'oidc.legacy.exchangeCode': OperationFacts<'POST /api/auth/tpsso/token', 'endpoint_removed'>
  readonly 'oidc.legacy.userinfo': OperationFacts<'GET /api/auth/tpsso/userinfo', 'endpoint_removed'>
  readonly 'oidc.legacy.licenses': OperationFacts<'GET /api/auth/tpsso/licenses', 'endpoint_removed'>
  readonly 'oidc.legacy.verifications': OperationFacts<'GET /api/auth/tpsso/verifications', 'endpoint_removed'>
  readonly 'oidc.legacy.refresh': OperationFacts<'POST /api/auth/tpsso/refresh', 'endpoint_removed'>
}

/** Every operation of the legacy sign-on. */
export const legacyEndpoints = [
  legacyExchangeCode,
  legacyUserinfo,
  legacyListLicenses,
  legacyListVerifications,
  legacyRefresh,
] as const
