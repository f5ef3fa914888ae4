import type { Endpoint } from '../endpoint.ts'
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
import { checkAntispoof, checkFaceUniqueness, deleteEnrolledFace, identifyAntispoof } from './experimental.ts'
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

/** Every operation of the verification API. */
export const verificationEndpoints: readonly Endpoint[] = [
  createSession,
  listSessions,
  retrieveSession,
  retrieveDecision,
  updateSessionStatus,
  idVerification,
  liveness,
  faceMatch,
  ageVerification,
  credentialVerification,
  kycCredential,
  locationCheck,
  listStates,
  listProviders,
  createWorkflow,
  listWorkflows,
  retrieveWorkflow,
  updateWorkflow,
  deleteWorkflow,
  checkAntispoof,
  identifyAntispoof,
  checkFaceUniqueness,
  deleteEnrolledFace,
]
