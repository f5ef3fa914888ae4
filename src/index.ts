/**
 * The three clients, webhooks, sign-in, verification of people and all errors.
 *
 * @module identity-service-sdk
 */

export type { Bulk, BulkFailure, BulkSource } from './bulk/bulk.ts'
export type { ErrorCatalogEntry, KnownErrorCode } from './contract/errors/catalog.ts'
export type { ErrorCode } from './contract/errors/codes.ts'
export type { BillingSummary, Invoice, Subscription } from './contract/organization/billing.ts'
export {
  type AddedMember,
  type AddResult,
  type InviteResult,
  type Member,
  type MemberList,
  type MemberRole,
  type MemberStatus,
  memberStatuses,
  type Organization,
  type RemoveResult,
  type ResolvedMember,
  type SkippedMember,
} from './contract/organization/member-results.ts'
export type {
  AddParams,
  InviteMethod,
  MemberRef,
  NewMember,
  RemoveParams,
  ResolveParams,
} from './contract/organization/members.ts'
export { memberRoles } from './contract/organization/roles.ts'
export type { Id, Unlisted } from './contract/schema/open-types.ts'
export type {
  LegacyLicense,
  LegacyTokenSet,
  LegacyTokens,
  LegacyUserInfo,
  LegacyVerifications,
} from './contract/sign-in/legacy.ts'
export { type Scope, scopes, type TokenResponse } from './contract/sign-in/oidc.ts'
export {
  type AgeData,
  type CheckStatus,
  type CheckType,
  type CredentialData,
  checkStatuses,
  checkTypes,
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
  LicenseParams,
  LocationParams,
} from './contract/verification/check-params.ts'
export type {
  AgeResult,
  Check,
  CheckFor,
  CheckOf,
  CombinedResult,
  StandaloneResult,
} from './contract/verification/check-results.ts'
export type { CredentialProvider, CredentialState } from './contract/verification/credentials.ts'
export { type Outcome, type SessionStatus, sessionStatuses } from './contract/verification/session-status.ts'
export type {
  DecidedDecision,
  Decision,
  Session,
  SessionCreateParams,
  SessionListParams,
  SessionStatusUpdate,
} from './contract/verification/sessions.ts'
export type { Workflow } from './contract/verification/workflows.ts'
export {
  type WebhookDecision,
  type WebhookEvent,
  type WebhookEventOf,
  type WebhookEventType,
  webhookEventTypes,
} from './contract/webhooks/events.ts'
export {
  type AnyApiError,
  type AnySdkError,
  type ErrorWithCode,
  isErrorCode,
  isSdkError,
} from './errors/any-sdk-error.ts'
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  GoneError,
  LockedError,
  NotFoundError,
  PayloadTooLargeError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  UnprocessableError,
} from './errors/api-errors.ts'
export {
  AbortedError,
  CallError,
  ConnectionError,
  ImageReadError,
  InvalidParamsError,
  InvalidResponseError,
  OutcomeUnknownError,
  type ParamIssue,
  SpendLimitError,
  TimeoutError,
} from './errors/call-errors.ts'
export { describeErrorCode } from './errors/describe-error-code.ts'
export { ConfigurationError, SdkError, type SdkErrorCode, StoreError } from './errors/sdk-error.ts'
export {
  CallbackError,
  type CallbackReason,
  TokenManagerError,
  type TokenManagerReason,
  TokenValidationError,
  type TokenValidationReason,
} from './errors/sign-in-errors.ts'
export {
  CheckNotPassedError,
  NotVerifiedError,
  type NotVerifiedReason,
  SessionEndedError,
  VerificationLimitError,
  WaitTimeoutError,
} from './errors/verification-errors.ts'
export { WebhookVerificationError, type WebhookVerificationReason } from './errors/webhook-error.ts'
export type { UploadProgress } from './http/body/body.ts'
export type { Base64Image, FileImage, ImageBytes, ImageInput, NamedImage } from './http/body/image.ts'
export { imageFromFile } from './http/body/image-file.ts'
export type { ApiPromise, ApiResponse, ListPromise, WithResponse } from './http/exchange/api-promise.ts'
export type { ImageRequestOptions } from './http/exchange/call.ts'
export type {
  BaseClientOptions,
  BillableRequestOptions,
  ClientOptions,
  DispatcherLike,
  JsonValue,
  RequestOptions,
} from './http/params/options.ts'
export type { RawRequest } from './http/raw-request.ts'
export type {
  AttemptStarted,
  CallFailed,
  RequestEvent,
  ResponseReceived,
  RetryScheduled,
} from './observe/call-events.ts'
export type { Instrumentation, Observation, ObservedResult, ObservedWork } from './observe/instrumentation.ts'
export { configure, type ObservationOptions } from './observe/observation.ts'
export { OidcClient } from './oidc/client.ts'
export type { Legacy, LegacyExchangeParams, LegacyRefreshParams } from './oidc/legacy/legacy.ts'
export { type LoginMarkers, loginMarkers } from './oidc/legacy/login-marker.ts'
export type { JwksOptions, OidcClientOptions, OidcOptions } from './oidc/options.ts'
export type { AuthorizationParams, AuthorizationRequest } from './oidc/sign-in/authorization.ts'
export type { CallbackInput } from './oidc/sign-in/callback.ts'
export type { SignInClient } from './oidc/sign-in/sign-in.ts'
export type { SignInContext } from './oidc/sign-in/sign-in-controller.ts'
export {
  createSignInHandler,
  type SignInHandler,
  type SignInHandlerOptions,
} from './oidc/sign-in/sign-in-handler.ts'
export type { TokenRefresher } from './oidc/tokens/token-manager.ts'
export {
  createTokenManager,
  type TokenManager,
  type TokenManagerOptions,
} from './oidc/tokens/token-manager.ts'
export type { EncryptionKeys } from './oidc/tokens/token-record-store.ts'
export type {
  ExchangeParams,
  RefreshParams,
  SignedInTokens,
  StartedSignIn,
  TokenSet,
} from './oidc/tokens/token-set.ts'
export type { AccessTokenClaims, AccessTokenExpectations } from './oidc/validation/access-token.ts'
export type { IdTokenClaims, IdTokenExpectations } from './oidc/validation/id-token.ts'
export { type ValidateIdTokenOptions, validateIdToken } from './oidc/validation/validate-id-token.ts'
export type { AddAllItem, AddAllOptions, AddAllSummary } from './org/add-all.ts'
export type { AppliedChange, ApplyPlanOptions, ApplyPlanSummary } from './org/apply-plan.ts'
export type { Billing } from './org/billing.ts'
export type { BulkOptions } from './org/bulk.ts'
export type { OrgOptions } from './org/client.ts'
export { OrgClient, type OrgClientOptions } from './org/client.ts'
export type {
  InviteAllItem,
  InviteAllOptions,
  InviteAllSummary,
} from './org/invite-all.ts'
export type { Members } from './org/members.ts'
export type { RejectedFields } from './org/rejected-members.ts'
export type {
  PlanOptions,
  RosterAddition,
  RosterChange,
  RosterPlan,
  RosterPlanJson,
  RosterReactivation,
  RosterRemoval,
} from './org/roster-plan.ts'
export type { Logger } from './runtime/logger.ts'
export type { SignalContext } from './stores/exclusive.ts'
export type { MemoryStoreOptions } from './stores/memory.ts'
export { memoryStore } from './stores/memory.ts'
export type {
  ListEntry,
  ListedValue,
  ListingStore,
  ScannableStore,
  Store,
  StoreLists,
  StoreRangeOptions,
  StoreSetOptions,
  StoreTtlOptions,
} from './stores/store.ts'
export { assertPassed, findCheck } from './verification/assert-passed.ts'
export type {
  Checks,
  FaceMatchParams,
  IdVerificationParams,
  KycCredentialParams,
  LivenessParams,
} from './verification/checks.ts'
export type { VerificationOptions } from './verification/client.ts'
export { VerificationClient, type VerificationClientOptions } from './verification/client.ts'
export type { Credentials } from './verification/credentials.ts'
export { credentialParams } from './verification/discovery.ts'
export type { Antispoof, Experimental, FaceUniqueness } from './verification/experimental.ts'
export {
  type BasicVerificationManager,
  createVerificationManager,
  type VerificationManager,
} from './verification/manager/manager.ts'
export type {
  EnsureApprovedOptions,
  ReconcileItem,
  ReconcileOptions,
  ReconcileSummary,
  ReviewParams,
  StartOptions,
  VerificationLimit,
  VerificationListOptions,
  VerificationManagerOptions,
  VerificationSessionParams,
} from './verification/manager/options.ts'
export type { VerificationSessions } from './verification/manager/session-service.ts'
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
export { createWebhookHandler, type WebhookHandler } from './webhooks/handler.ts'
export type {
  EventConsumer,
  EventProcessorOptions,
  WebhookCallback,
  WebhookCallbacks,
  WebhookErrorContext,
  WebhookHandlerOptions,
} from './webhooks/options.ts'
export { createEventProcessor, type EventProcessor } from './webhooks/processing/event-processor.ts'
export type { WebhookResult } from './webhooks/result.ts'
export {
  type SignedWebhook,
  type SignWebhookParams,
  signWebhook,
  type VerifyWebhookParams,
  verifyWebhookSignature,
  type WebhookBody,
  type WebhookHeaders,
} from './webhooks/signature.ts'
export { verifyWebhook } from './webhooks/verify.ts'
