/**
 * Signs people in by OpenID Connect, validates tokens and keeps them fresh.
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
} from './contract/legacy-sign-on.ts'
export type { Scope, TokenResponse } from './contract/oidc.ts'
export {
  CallbackError,
  type CallbackRefusal,
  TokenManagerError,
  type TokenManagerFailure,
  type TokenRefusal,
  TokenValidationError,
} from './errors/sign-in-errors.ts'
export type { AccessTokenExpectations } from './oidc/access-token.ts'
export type { Authorization, AuthorizationParams, Callback } from './oidc/authorization.ts'
export type { AccessTokenClaims, IdTokenClaims } from './oidc/claims.ts'
export { OidcClient } from './oidc/client.ts'
export type { OidcClientOptions } from './oidc/client-options.ts'
export type { IdTokenExpectations } from './oidc/id-token.ts'
export type { Legacy, LegacyExchangeParams, LegacyRefreshParams } from './oidc/legacy.ts'
export { type LoginMarkerOptions, type LoginMarkers, loginMarkers } from './oidc/login-marker.ts'
export type { SignInOptions } from './oidc/sign-in.ts'
export { createSignInHandler, type SignInHandler, type SignInHandlerOptions } from './oidc/sign-in-handler.ts'
export { createTokenManager, type TokenManager, type TokenManagerOptions } from './oidc/token-manager.ts'
export type { JwksOptions } from './oidc/token-options.ts'
export type { EncryptionKeys } from './oidc/token-seal.ts'
export type { ExchangeParams, RefreshParams, StartedSignIn, TokenSet } from './oidc/token-set.ts'
export { type ValidateIdTokenOptions, validateIdToken } from './oidc/validate-id-token.ts'
export { memoryStore } from './stores/memory.ts'
export type { Store, StoreSetOptions, StoreTtlOptions } from './stores/store.ts'
