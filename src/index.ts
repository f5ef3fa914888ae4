/**
 * The three clients, webhooks, validation of tokens, the memory store and every error. Each part has an entry of its own
 * as well, for the smallest bundle; a name is the same thing from either.
 *
 * @module identity-service-sdk
 */

// Each entry lists its names; the root is all of them.
export * from './errors.ts'
export * from './oidc.ts'
export * from './org.ts'
export * from './verification.ts'
export * from './webhooks.ts'
