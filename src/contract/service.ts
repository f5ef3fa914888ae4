/** Facts of the service that belong to no single operation. */

/** Carried by every response (contract, section 2.1). */
export const requestIdHeader = 'x-request-id'

/** Billable POSTs take it (contract, section 4.3). */
export const idempotencyHeader = 'idempotency-key'

/** How the verification API is told who calls (contract, section 5). */
export const apiKeyHeader = 'x-api-key'

/** How the organization API is told who calls (contract, section 5). */
export const organizationHeaders = { clientId: 'x-client-id', clientSecret: 'x-client-secret' } as const

/** In bytes: images must stay under it, else 413 `image_too_large` (contract, section 8). Read as the larger of MB and MiB. */
export const maxImageBytes = 20 * 1024 * 1024

/** Age thresholds that the account mode answers; others give `unknown_band` (contract, section 4.3). */
export const accountAgeThresholds = [16, 18, 21, 30, 65] as const
