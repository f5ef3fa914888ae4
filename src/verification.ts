/**
 * The client of the verification API: hosted sessions, standalone checks, licenses.
 *
 * @module identity-service-sdk/verification
 */

export type { Id, Unlisted } from './contract/schema/open-types.ts'
export { accountAgeThresholds, maxImageBytes } from './contract/service.ts'
export {
  type AgeBandResult,
  type AgeData,
  type CheckStatus,
  type CheckType,
  type CredentialData,
  checkStatuses,
  checkTypes,
  type DocumentAuthenticity,
  type FaceMatchData,
  type IdDocumentFields,
  type IdVerificationData,
  type LicenseData,
  type LivenessData,
  type LocationData,
} from './contract/verification/check-data.ts'
export type {
  AgeBand,
  AgeParams,
  CredentialParams,
  HolderByAccount,
  HolderByFullName,
  HolderByNames,
  LicenseHolder,
  LicenseLookup,
  LicenseOfProvider,
  LicenseOfType,
  LicenseParams,
  LocationParams,
} from './contract/verification/check-params.ts'
export type {
  AgeResult,
  Check,
  CheckError,
  CheckFor,
  CheckOf,
  CombinedResult,
  Identity,
  StandaloneResult,
} from './contract/verification/check-results.ts'
export type {
  CredentialProvider,
  CredentialState,
} from './contract/verification/credentials.ts'
export {
  type Outcome,
  outcomes,
  type SessionStatus,
  sessionStatuses,
} from './contract/verification/session-status.ts'
export type {
  DecidedDecision,
  Decision,
  Session,
  SessionCreateParams,
  SessionListParams,
  SessionStatusUpdate,
} from './contract/verification/sessions.ts'
export type { Workflow } from './contract/verification/workflows.ts'
export type {
  Instrumentation,
  Instrumentations,
  Observation,
  ObservedAttempt,
  ObservedOperation,
  ObservedResult,
  ObservedWork,
} from './errors/instrumentation.ts'
export {
  type ApiPromise,
  type ApiResponse,
  apiPromise,
  type ListPromise,
  type WithResponse,
} from './http/api-promise.ts'
export type { UploadProgress } from './http/body/body.ts'
export type {
  Base64Image,
  FileImage,
  ImageBytes,
  ImageInput,
  ImageSource,
  NamedImage,
} from './http/body/image.ts'
export { imageFromFile } from './http/body/image-file.ts'
export type { ImageRequestOptions } from './http/call.ts'
export type {
  AttemptStarted,
  CallEvent,
  CallFailed,
  RequestEvent,
  ResponseReceived,
  RetryScheduled,
} from './http/events.ts'
export type {
  BaseClientOptions,
  BillableRequestOptions,
  ClientOptions,
  DispatcherLike,
  DispatcherOption,
  FetchOption,
  RequestOptions,
} from './http/params/options.ts'
export type { RawRequest } from './http/raw-request.ts'
export type { SpendLimit } from './http/spend/spend-limit.ts'
export { type Bulk, type BulkFailure, type BulkSource, bulkOf } from './runtime/bulk.ts'
export type { Logger } from './runtime/logger.ts'
export type {
  ListEntry,
  ListedValue,
  ListingStore,
  ScannableStore,
  Store,
  StoreLists,
  StoreRangeOptions,
  StoreSetOptions,
  StoreTimeLimit,
  StoreTtlOptions,
} from './stores/store.ts'
export { assertPassed, type CheckResult, findCheck, type Passed } from './verification/assert-passed.ts'
export type {
  Checks,
  FaceMatchParams,
  IdVerificationParams,
  KycCredentialParams,
  KycImages,
  LivenessParams,
} from './verification/checks.ts'
export {
  VerificationClient,
  type VerificationClientOptions,
  type VerificationOptions,
} from './verification/client.ts'
export type { Credentials } from './verification/credentials.ts'
export {
  type CollectedFields,
  credentialParams,
  missingFields,
  type ProviderCredentialParams,
  pickProvider,
} from './verification/discovery.ts'
export type {
  Antispoof,
  Experimental,
  ExperimentalBody,
  ExperimentalImages,
  FaceUniqueness,
} from './verification/experimental.ts'
export {
  type BasicVerificationManager,
  createVerificationManager,
  type VerificationManager,
} from './verification/manager/manager.ts'
export type {
  EnsureApprovedOptions,
  ReconcileChanged,
  ReconcileFailed,
  ReconcileItem,
  ReconcileOptions,
  ReconcileSummary,
  RenewOption,
  ReviewParams,
  StartOptions,
  VerificationLimit,
  VerificationListOptions,
  VerificationManagerOptions,
  VerificationSessionParams,
} from './verification/manager/options.ts'
export type { VerificationSessions } from './verification/manager/session-service.ts'
export { type DecisionSummary, summarizeDecision } from './verification/manager/summarize-decision.ts'
export type {
  CheckSummary,
  EndedReason,
  PendingVerificationState,
  Verification,
  VerificationChange,
  VerificationHistoryEntry,
  VerificationOf,
  VerificationState,
} from './verification/manager/verification.ts'
export { parseReturnUrl, type ReturnUrl } from './verification/return-url.ts'
export type { Sessions } from './verification/sessions.ts'
export type { WaitOptions } from './verification/wait-for-decision.ts'
export type { Workflows } from './verification/workflows.ts'
