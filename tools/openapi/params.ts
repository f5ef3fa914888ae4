import { authorizeParameters } from '../../src/contract/sign-in/oidc.ts'

/** The description of a field. */
export interface FieldDescription {
  readonly description: string
  /** The name of the schema of its value, or of the members of its value. */
  readonly of?: string
  /** Values that the contract names. */
  readonly values?: Readonly<Record<string, true>>
  readonly default?: unknown
}

/** The description of an object. */
export interface ObjectDescription {
  readonly description: string
  readonly extends?: string
  readonly fields: Readonly<Record<string, FieldDescription>>
}

const fields = (descriptions: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(descriptions).map(([name, description]) => [name, { description }]))

const credentials = {
  client_id: 'The id of the application.',
  client_secret: 'The secret of the application. Server side only.',
}

/**
 * What no interface of the contract describes: bodies and queries of which the clients have types of their own, and
 * unions.
 */
export const ownDescriptions = {
  IdVerificationParams: {
    description: 'The images of an ID document (contract, section 4.3).',
    fields: fields({
      front_image: 'The front of the document.',
      back_image: 'The back of the document.',
    }),
  },
  LivenessParams: {
    description: 'The image of a person (contract, section 4.3).',
    fields: fields({ image: 'The full-quality camera frame.' }),
  },
  FaceMatchParams: {
    description: 'The two faces to compare (contract, section 4.3).',
    fields: fields({ image1: 'The reference portrait.', image2: 'The live selfie.' }),
  },
  KycImages: {
    description: 'The images of the combined check (contract, section 4.3).',
    fields: fields({
      front_image: 'The front of the document.',
      back_image: 'The back of the document.',
      selfie: 'The selfie.',
    }),
  },
  ResolveParams: {
    description: 'Names a member. At least one of the two fields is required (contract, section 4.9).',
    fields: fields({ svc_id: 'The `svc_id` of the member.', email: 'The email of the member.' }),
  },
  ResolvedMember: {
    description: 'The result of `members.resolve` (contract, section 4.9).',
    fields: {
      found: { description: 'True if a member was found.' },
      member: { description: 'The member, of any role. `null` if none was found.', of: 'Member' },
    },
  },
  RemoveResult: {
    description: 'The result of `members.remove` (contract, section 4.9).',
    fields: {
      member: { description: 'The deactivated member. `null` if the row does not exist.', of: 'Member' },
      removed: { description: 'True if this call deleted the row.' },
      already_removed: { description: 'True if the row was gone already. This is a success.' },
    },
  },
  AuthorizeQuery: {
    description: 'The query of an authorization request (contract, section 4.7).',
    fields: fields({
      [authorizeParameters.clientId]: 'The id of the application.',
      [authorizeParameters.redirectUri]: 'The address to which the browser returns. It must equal a registered one.',
      [authorizeParameters.responseType]: 'Must be `code`.',
      [authorizeParameters.scope]: 'The scopes, separated by spaces. Must include `openid`.',
      [authorizeParameters.state]: 'A random value. It is returned unchanged.',
      [authorizeParameters.nonce]: 'Recommended. It is bound into the id_token.',
      [authorizeParameters.codeChallenge]: 'The PKCE challenge (RFC 7636).',
      [authorizeParameters.codeChallengeMethod]: 'The method of the PKCE challenge.',
    }),
  },
  CodeGrant: {
    description: 'Exchanges an authorization code for tokens (contract, section 4.7).',
    fields: fields({
      grant_type: 'The grant.',
      ...credentials,
      code: 'The code. It can be used once, within 2 minutes.',
      redirect_uri: 'The same as in the authorization request.',
      code_verifier: 'The PKCE verifier, if PKCE was used (RFC 7636).',
    }),
  },
  RefreshGrant: {
    description: 'Exchanges a refresh token for new tokens (contract, section 4.7).',
    fields: fields({
      grant_type: 'The grant.',
      refresh_token: 'The refresh token. It is revoked, and the response has a new one.',
      ...credentials,
    }),
  },
  KeySet: {
    description: 'The public keys of the service (contract, section 4.7).',
    fields: fields({ keys: 'The keys (RFC 7517).' }),
  },
  LegacyCodeGrant: {
    description: 'Exchanges a code of the legacy sign-on (contract, section 4.8).',
    fields: fields({
      grant_type: 'The grant.',
      ...credentials,
      code: 'The code. It can be used once, within 2 minutes.',
      redirect_uri: 'Recommended. It is validated if it is sent.',
    }),
  },
  LegacyRefresh: {
    description: 'Exchanges a refresh token of the legacy sign-on (contract, section 4.8).',
    fields: {
      ...fields({ refresh_token: 'The refresh token.', ...credentials }),
      rotate_refresh: { description: 'Whether a new refresh token is issued.', default: true },
    },
  },
} as const satisfies Readonly<Record<string, ObjectDescription>>
