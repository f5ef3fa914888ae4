import { retrieveBilling } from './billing.ts'
import {
  ageVerification,
  credentialVerification,
  faceMatch,
  idVerification,
  kycCredential,
  liveness,
  locationCheck,
} from './checks.ts'
import { listProviders, listStates } from './credentials.ts'
import type { Endpoint } from './endpoint.ts'
import type { KnownErrorCode } from './error-codes.ts'
import { checkAntispoof, checkFaceUniqueness, deleteEnrolledFace, identifyAntispoof } from './experimental.ts'
import {
  legacyExchangeCode,
  legacyListLicenses,
  legacyListVerifications,
  legacyRefresh,
  legacyUserinfo,
} from './legacy-sign-on.ts'
import {
  addMembers,
  deactivateMember,
  inviteMember,
  listMembers,
  reactivateMember,
  removeMember,
  resolveMember,
} from './members.ts'
import { authorize, exchangeCode, readKeys, refreshTokens } from './oidc.ts'
import {
  createSession,
  listSessions,
  retrieveDecision,
  retrieveSession,
  updateSessionStatus,
} from './sessions.ts'
import {
  createWorkflow,
  deleteWorkflow,
  listWorkflows,
  retrieveWorkflow,
  updateWorkflow,
} from './workflows.ts'

/** What the contract says of an operation that no client has to know when it runs. */
export interface Documented {
  readonly section: string
  /** Codes that it names for the operation, beyond those that any operation may answer. */
  readonly errors: readonly KnownErrorCode[]
}

const at = (section: string, ...errors: KnownErrorCode[]): Documented => ({ section, errors })

const declared: readonly (readonly [Endpoint, Documented])[] = [
  [createSession, at('4.1', 'validation_error', 'callback_not_allowed', 'workflow_not_found')],
  [listSessions, at('4.1')],
  [retrieveSession, at('4.1', 'not_found')],
  [retrieveDecision, at('4.1', 'not_found')],
  [
    updateSessionStatus,
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
  [idVerification, at('4.3', 'validation_error', 'unprocessable', 'image_too_large', 'rate_limited')],
  [liveness, at('4.3', 'validation_error', 'unprocessable', 'image_too_large')],
  [faceMatch, at('4.3', 'validation_error', 'image_too_large')],
  [ageVerification, at('4.3', 'validation_error')],
  [credentialVerification, at('4.4', 'validation_error', 'license_not_found')],
  [kycCredential, at('4.3', 'validation_error', 'image_too_large', 'license_not_found', 'kyc_required')],
  [locationCheck, at('4.3', 'validation_error')],
  [listStates, at('4.5')],
  [listProviders, at('4.5', 'not_found')],
  [createWorkflow, at('4.2')],
  [listWorkflows, at('4.2')],
  [retrieveWorkflow, at('4.2', 'workflow_not_found')],
  [updateWorkflow, at('4.2', 'workflow_not_found')],
  [deleteWorkflow, at('4.2', 'workflow_not_found')],
  [checkAntispoof, at('4.6', 'frames_required', 'too_many_frames', 'invalid_frames')],
  [identifyAntispoof, at('4.6', 'frames_required', 'too_many_frames', 'invalid_frames')],
  [checkFaceUniqueness, at('4.6')],
  [deleteEnrolledFace, at('4.6', 'not_found')],
  [
    authorize,
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
  [
    exchangeCode,
    at(
      '4.7',
      'invalid_request',
      'invalid_client',
      'unauthorized_client',
      'invalid_grant',
      'unsupported_grant_type',
    ),
  ],
  [
    refreshTokens,
    at(
      '4.7',
      'invalid_request',
      'invalid_client',
      'unauthorized_client',
      'invalid_grant',
      'unsupported_grant_type',
    ),
  ],
  [readKeys, at('4.7')],
  [legacyExchangeCode, at('4.8', 'endpoint_removed')],
  [legacyUserinfo, at('4.8', 'endpoint_removed')],
  [legacyListLicenses, at('4.8', 'endpoint_removed')],
  [legacyListVerifications, at('4.8', 'endpoint_removed')],
  [legacyRefresh, at('4.8', 'endpoint_removed')],
  [listMembers, at('4.9')],
  [resolveMember, at('4.9', 'missing_identifier')],
  [addMembers, at('4.9', 'invalid_request')],
  [deactivateMember, at('4.9', 'not_found')],
  [removeMember, at('4.9')],
  [reactivateMember, at('4.9', 'not_found')],
  [inviteMember, at('4.9', 'not_found', 'already_active', 'deactivated', 'rate_limited')],
  [retrieveBilling, at('4.9')],
]

/** By operation, since some declarations are served in another form than they are called. */
export const documented: ReadonlyMap<string, Documented> = new Map(
  declared.map(([{ operation }, facts]) => [operation, facts]),
)
