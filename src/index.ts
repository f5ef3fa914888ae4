// Each entry lists its names; the root is all of them.
export * from './errors.ts'
export * from './oidc.ts'
export * from './org.ts'
export * from './verification.ts'
export * from './webhooks.ts'
