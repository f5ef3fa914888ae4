import type { Endpoint } from './endpoint.ts'
import type { KnownErrorCode } from './errors/codes.ts'
import * as billing from './organization/billing.ts'
import * as members from './organization/members.ts'
import * as legacy from './sign-in/legacy.ts'
import * as oidc from './sign-in/oidc.ts'
import * as checks from './verification/checks.ts'
import * as credentials from './verification/credentials.ts'
import * as experimental from './verification/experimental.ts'
import * as sessions from './verification/sessions.ts'
import * as workflows from './verification/workflows.ts'

/** What the contract says of an operation that no client has to know when it runs. */
export interface Documented {
  readonly section: string
  /** Codes that it names for the operation, beyond those that any operation may answer. */
  readonly errors: readonly KnownErrorCode[]
}

const at = (section: string, ...errors: KnownErrorCode[]): Documented => ({ section, errors })

/** Of either grant. */
const tokenErrors: readonly KnownErrorCode[] = [
  'invalid_request',
  'invalid_client',
  'unauthorized_client',
  'invalid_grant',
  'unsupported_grant_type',
]

const declared: readonly (readonly [Endpoint, Documented])[] = [
  [sessions.createSession, at('4.1', 'validation_error', 'callback_not_allowed', 'workflow_not_found')],
  [sessions.listSessions, at('4.1')],
  [sessions.retrieveSession, at('4.1', 'not_found')],
  [sessions.retrieveDecision, at('4.1', 'not_found')],
  [
    sessions.updateSessionStatus,
    at(
      '4.1',
      'not_found',
      'already_decided',
      'required_face_checks_incomplete',
      'review_not_pending',
      'session_closed',
      'session_expired',
    ),
  ],
  [checks.idVerification, at('4.3', 'validation_error', 'unprocessable', 'image_too_large', 'rate_limited')],
  [checks.liveness, at('4.3', 'validation_error', 'unprocessable', 'image_too_large')],
  [checks.faceMatch, at('4.3', 'validation_error', 'image_too_large')],
  [checks.ageVerification, at('4.3', 'validation_error')],
  [checks.credentialVerification, at('4.4', 'validation_error', 'license_not_found')],
  [
    checks.kycCredential,
    at('4.3', 'validation_error', 'image_too_large', 'license_not_found', 'kyc_required'),
  ],
  [checks.locationCheck, at('4.3', 'validation_error')],
  [credentials.listStates, at('4.5')],
  [credentials.listProviders, at('4.5', 'not_found')],
  [workflows.createWorkflow, at('4.2')],
  [workflows.listWorkflows, at('4.2')],
  [workflows.retrieveWorkflow, at('4.2', 'workflow_not_found')],
  [workflows.updateWorkflow, at('4.2', 'workflow_not_found')],
  [workflows.deleteWorkflow, at('4.2', 'workflow_not_found')],
  [experimental.checkAntispoof, at('4.6', 'frames_required', 'too_many_frames', 'invalid_frames')],
  [experimental.identifyAntispoof, at('4.6', 'frames_required', 'too_many_frames', 'invalid_frames')],
  [experimental.checkFaceUniqueness, at('4.6')],
  [experimental.deleteEnrolledFace, at('4.6', 'not_found')],
  [
    oidc.authorize,
    at(
      '4.7',
      'access_denied',
      'invalid_client',
      'unauthorized_client',
      'invalid_redirect_uri',
      'unsupported_response_type',
      'invalid_scope',
      'invalid_request',
    ),
  ],
  [oidc.exchangeCode, at('4.7', ...tokenErrors)],
  [oidc.refreshTokens, at('4.7', ...tokenErrors)],
  [oidc.readKeys, at('4.7')],
  [legacy.legacyExchangeCode, at('4.8', 'endpoint_removed')],
  [legacy.legacyUserinfo, at('4.8', 'endpoint_removed')],
  [legacy.legacyListLicenses, at('4.8', 'endpoint_removed')],
  [legacy.legacyListVerifications, at('4.8', 'endpoint_removed')],
  [legacy.legacyRefresh, at('4.8', 'endpoint_removed')],
  [members.listMembers, at('4.9')],
  [members.resolveMember, at('4.9', 'missing_identifier')],
  [members.addMembers, at('4.9', 'invalid_request')],
  [members.deactivateMember, at('4.9', 'not_found')],
  [members.removeMember, at('4.9')],
  [members.reactivateMember, at('4.9', 'not_found')],
  [members.inviteMember, at('4.9', 'not_found', 'already_active', 'deactivated', 'rate_limited')],
  [billing.retrieveBilling, at('4.9')],
]

/** By operation, since some declarations are served in another form than they are called. */
export const documented: ReadonlyMap<string, Documented> = new Map(
  declared.map(([{ operation }, facts]) => [operation, facts]),
)
