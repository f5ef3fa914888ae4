/**
 * The three clients, webhooks, token validation, the memory store and all errors. Each part also has its own entry, for
 * the smallest bundle. A name is the same value in both.
 *
 * @module identity-service-sdk
 */

// Each entry lists its own names. The root exports all of them.
export * from './errors.ts'
export * from './oidc.ts'
export * from './org.ts'
export * from './verification.ts'
export * from './webhooks.ts'
