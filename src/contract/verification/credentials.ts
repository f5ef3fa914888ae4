import type { Endpoint, OperationFacts } from '../endpoint.ts'
import { maybe, schema, schemaFor, untyped } from '../schema/schema.ts'
import * as z from '../schema/zod.ts'

/** A jurisdiction that has at least one license provider (contract, section 2.6). */
export interface CredentialState {
  /** Display name. */
  readonly state_name: string
  /** Two letters, such as `CA`. */
  readonly state_code: string
}

/** One type of license of one board (contract, section 2.6). */
export interface CredentialProvider {
  /** Identifies the board. Not unique: several rows may share it. */
  readonly provider_code: string
  /** Display name. */
  readonly provider_display_name: string
  /** Unique key of the row, for example for a dropdown. */
  readonly credential_code: string
  /** The name of the credential. A check takes it as `license_type`. */
  readonly credential_name: string
  /** Two letters, such as `CA`. */
  readonly state_code: string
  /** The board's own code, if it requires one. */
  readonly remote_code?: string | null | undefined
  /** The fields that a check requires, such as `license_no` or `remote_code`. */
  readonly required_fields: string[]
}

const state = /* @__PURE__ */ schemaFor<CredentialState>()(() =>
  z.looseObject({ state_name: z.string(), state_code: z.string() }),
)

const provider = /* @__PURE__ */ schemaFor<CredentialProvider>()(() =>
  z.looseObject({
    provider_code: z.string(),
    provider_display_name: z.string(),
    credential_code: z.string(),
    credential_name: z.string(),
    state_code: z.string(),
    remote_code: maybe(untyped(z.string())),
    required_fields: z.array(z.string()),
  }),
)

export const listStates = {
  operation: 'credentials.listStates',
  section: '4.5',
  method: 'GET',
  path: '/api/v2/credential/states',
  response: /* @__PURE__ */ schema(() => z.array(state.zod)),
  unwrap: 'states',
  replay: 'safe',
} as const satisfies Endpoint

export const listProviders = {
  operation: 'credentials.listProviders',
  section: '4.5',
  errors: ['not_found'],
  method: 'GET',
  path: '/api/v2/credential/states/{state}/providers',
  response: /* @__PURE__ */ schema(() => z.array(provider.zod)),
  unwrap: 'providers',
  replay: 'safe',
} as const satisfies Endpoint

/** The operations of credential discovery, as a type. */
export interface CredentialOperations {
  readonly 'credentials.listStates': OperationFacts<'GET /api/v2/credential/states', never>
  readonly 'credentials.listProviders': OperationFacts<'GET /api/v2/credential/states/{state}/providers', 'not_found'>
}

/** The operations of credential discovery. */
export const credentialEndpoints = [listStates, listProviders] as const
