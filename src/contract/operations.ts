import type { KnownErrorCode } from './errors/catalog.ts'
import type { commonCodes, idempotencyCodes } from './errors/codes.ts'
import type { interfacePaths } from './service.ts'

/** What is known of an operation at compile time. */
interface OperationFacts<
  Route extends string,
  Code extends KnownErrorCode = never,
  Key extends 'with-key' | 'without-key' = 'without-key',
> {
  /** Method and path template. */
  readonly route: Route
  /** The codes that the contract names for this operation alone. */
  readonly code: Code
  /** Whether the operation accepts an `Idempotency-Key`. */
  readonly key: Key
}

/**
 * Every operation of the service, as a type. The declarations contain the same as values, and a test compares the two:
 * a type that is derived from them would bring their schemas into the public types.
 */
export interface Operations {
  readonly 'sessions.create': OperationFacts<
    'POST /api/v2/session',
    'validation_error' | 'callback_not_allowed' | 'workflow_not_found'
  >
  readonly 'sessions.list': OperationFacts<'GET /api/v2/session', never>
  readonly 'sessions.retrieve': OperationFacts<'GET /api/v2/session/{id}', 'not_found'>
  readonly 'sessions.decision': OperationFacts<'GET /api/v2/session/{id}/decision', 'not_found'>
  readonly 'sessions.updateStatus': OperationFacts<
    'PATCH /api/v2/session/{id}/status',
    | 'not_found'
    | 'already_decided'
    | 'required_face_checks_incomplete'
    | 'review_not_pending'
    | 'session_closed'
    | 'session_expired'
  >
  readonly 'checks.idVerification': OperationFacts<
    'POST /api/v2/id-verification',
    'validation_error' | 'unprocessable' | 'image_too_large' | 'rate_limited',
    'with-key'
  >
  readonly 'checks.liveness': OperationFacts<
    'POST /api/v2/liveness',
    'validation_error' | 'unprocessable' | 'image_too_large',
    'with-key'
  >
  readonly 'checks.faceMatch': OperationFacts<
    'POST /api/v2/face-match',
    'validation_error' | 'image_too_large',
    'with-key'
  >
  readonly 'checks.age': OperationFacts<'POST /api/v2/age-verification', 'validation_error', 'with-key'>
  readonly 'checks.credential': OperationFacts<
    'POST /api/v2/credential-verification',
    'validation_error' | 'license_not_found',
    'with-key'
  >
  readonly 'checks.kycCredential': OperationFacts<
    'POST /api/v2/kyc-credential',
    'validation_error' | 'image_too_large' | 'license_not_found' | 'kyc_required',
    'with-key'
  >
  readonly 'checks.location': OperationFacts<'POST /api/v2/location', 'validation_error', 'with-key'>
  readonly 'credentials.listStates': OperationFacts<'GET /api/v2/credential/states', never>
  readonly 'credentials.listProviders': OperationFacts<
    'GET /api/v2/credential/states/{state}/providers',
    'not_found'
  >
  readonly 'experimental.workflows.create': OperationFacts<'POST /api/v2/workflows', never>
  readonly 'experimental.workflows.list': OperationFacts<'GET /api/v2/workflows', never>
  readonly 'experimental.workflows.retrieve': OperationFacts<
    'GET /api/v2/workflows/{id}',
    'workflow_not_found'
  >
  readonly 'experimental.workflows.update': OperationFacts<
    'PATCH /api/v2/workflows/{id}',
    'workflow_not_found'
  >
  readonly 'experimental.workflows.delete': OperationFacts<
    'DELETE /api/v2/workflows/{id}',
    'workflow_not_found'
  >
  readonly 'experimental.antispoof.check': OperationFacts<
    'POST /api/v2/antispoof',
    'frames_required' | 'too_many_frames' | 'invalid_frames',
    'with-key'
  >
  readonly 'experimental.antispoof.identity': OperationFacts<
    'POST /api/v2/antispoof/identity',
    'frames_required' | 'too_many_frames' | 'invalid_frames',
    'with-key'
  >
  readonly 'experimental.faceUniqueness.check': OperationFacts<
    'POST /api/v2/face-uniqueness',
    never,
    'with-key'
  >
  readonly 'experimental.faceUniqueness.delete': OperationFacts<
    'DELETE /api/v2/face-uniqueness/{svc_uuid}',
    'not_found'
  >
  readonly 'oidc.authorize': OperationFacts<
    'GET /api/auth/oidc/authorize',
    | 'access_denied'
    | 'invalid_client'
    | 'unauthorized_client'
    | 'invalid_redirect_uri'
    | 'unsupported_response_type'
    | 'invalid_scope'
    | 'invalid_request'
  >
  readonly 'oidc.exchangeCode': OperationFacts<
    'POST /api/auth/oidc/token',
    'invalid_request' | 'invalid_client' | 'unauthorized_client' | 'invalid_grant' | 'unsupported_grant_type'
  >
  readonly 'oidc.refresh': OperationFacts<
    'POST /api/auth/oidc/token',
    'invalid_request' | 'invalid_client' | 'unauthorized_client' | 'invalid_grant' | 'unsupported_grant_type'
  >
  readonly 'oidc.jwks': OperationFacts<'GET /api/auth/oidc/jwks.json', never>
  readonly 'oidc.legacy.exchangeCode': OperationFacts<'POST /api/auth/tpsso/token', 'endpoint_removed'>
  readonly 'oidc.legacy.userinfo': OperationFacts<'GET /api/auth/tpsso/userinfo', 'endpoint_removed'>
  readonly 'oidc.legacy.licenses': OperationFacts<'GET /api/auth/tpsso/licenses', 'endpoint_removed'>
  readonly 'oidc.legacy.verifications': OperationFacts<
    'GET /api/auth/tpsso/verifications',
    'endpoint_removed'
  >
  readonly 'oidc.legacy.refresh': OperationFacts<'POST /api/auth/tpsso/refresh', 'endpoint_removed'>
  readonly 'members.list': OperationFacts<'GET /api/sdk/members', never>
  readonly 'members.resolve': OperationFacts<'POST /api/sdk/members/resolve', 'missing_identifier'>
  readonly 'members.add': OperationFacts<'POST /api/sdk/members', 'invalid_request'>
  readonly 'members.deactivate': OperationFacts<'PATCH /api/sdk/members/{member_id}/deactivate', 'not_found'>
  readonly 'members.remove': OperationFacts<'DELETE /api/sdk/members/{member_id}', never>
  readonly 'members.reactivate': OperationFacts<'PATCH /api/sdk/members/{member_id}/reactivate', 'not_found'>
  readonly 'members.invite': OperationFacts<
    'POST /api/sdk/members/{member_id}/invite',
    'not_found' | 'already_active' | 'deactivated' | 'rate_limited'
  >
  readonly 'billing.retrieve': OperationFacts<'GET /api/sdk/billing', never>
}

type Interfaces = typeof interfacePaths

type InterfaceOf<Route extends string> = {
  [Name in keyof Interfaces]: Route extends `${string} ${Interfaces[Name]}/${string}` ? Name : never
}[keyof Interfaces]

/** The codes that the contract names for an operation, for every operation of its interface, and for its key. */
export type DocumentedCode<Operation extends keyof Operations> = Operation extends unknown
  ?
      | Operations[Operation]['code']
      | (typeof commonCodes)[InterfaceOf<Operations[Operation]['route']>][number]
      | (Operations[Operation]['key'] extends 'with-key' ? (typeof idempotencyCodes)[number] : never)
  : never
