/**
 * Signs people in with OpenID Connect, validates tokens and refreshes them.
 *
 * @module identity-service-sdk/oidc
 */

export type {
  LegacyLicense,
  LegacyTokenSet,
  LegacyTokens,
  LegacyUser,
  LegacyUserInfo,
  LegacyVerifications,
  LegacyVerifiedLicense,
} from './contract/sign-in/legacy.ts'
export { type Scope, scopes, type TokenResponse } from './contract/sign-in/oidc.ts'
export {
  CallbackError,
  type CallbackReason,
  TokenManagerError,
  type TokenManagerReason,
  TokenValidationError,
  type TokenValidationReason,
} from './errors/sign-in-errors.ts'
export type { RawBearerRequest, RawRequest } from './http/raw-request.ts'
export { OidcClient } from './oidc/client.ts'
export type { Legacy, LegacyExchangeParams, LegacyRefreshParams } from './oidc/legacy/legacy.ts'
export { type LoginMarkerOptions, type LoginMarkers, loginMarkers } from './oidc/legacy/login-marker.ts'
export type { JwksOptions, OidcClientOptions, OidcOptions } from './oidc/options.ts'
export type {
  AuthorizationParams,
  AuthorizationRequest,
} from './oidc/sign-in/authorization.ts'
export type { CallbackInput } from './oidc/sign-in/callback.ts'
export type { SignInClient, SignInOptions } from './oidc/sign-in/sign-in.ts'
export {
  createSignInHandler,
  type SignInErrorContext,
  type SignInHandler,
  type SignInHandlerOptions,
} from './oidc/sign-in/sign-in-handler.ts'
export type { EncryptionKeys } from './oidc/tokens/token-encryption.ts'
export {
  createTokenManager,
  type TokenManager,
  type TokenManagerOptions,
  type TokenRefresher,
} from './oidc/tokens/token-manager.ts'
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
export type { Logger } from './runtime/logger.ts'
export { type MemoryStoreOptions, memoryStore } from './stores/memory.ts'
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
