// Facts of the service that do not belong to a single operation.

/** The version of the verification API (contract, section 9). */
export const apiVersion = '2.0.0'

/** Where the paths of each interface start, below its base URL (contract, section 9). */
export const interfacePaths = {
  verification: '/api/v2',
  signIn: '/api/auth/oidc',
  organization: '/api/sdk',
} as const

export const isUnder = (path: string, start: string) => path === start || path.startsWith(`${start}/`)

/**
 * True if the contract promises the envelope for every response of a path (section 2.1). The contract
 * does not say whether other responses have it.
 */
export const isEnvelopedPath = (path: string) =>
  isUnder(path, interfacePaths.verification) || isUnder(path, interfacePaths.organization)

/** Header of every response (contract, section 2.1). */
export const requestIdHeader = 'x-request-id'

/** Header that billable POSTs accept (contract, section 4.3). */
export const idempotencyHeader = 'idempotency-key'

/** Header with the API key (contract, section 5). */
export const apiKeyHeader = 'x-api-key'

/** Headers with the credentials of the organization's application (contract, section 5). */
export const organizationHeaders = { clientId: 'x-client-id', clientSecret: 'x-client-secret' } as const

/**
 * The size in bytes that images must stay under. Otherwise the service returns 413 `image_too_large` (contract,
 * section 8). The contract says 20 MB. This is the larger reading, 20 MiB, so that no acceptable image is rejected.
 */
export const maxImageBytes = 20 * 1024 * 1024

/** Age thresholds that account mode supports. Other thresholds give `unknown_band` (contract, section 4.3). */
export const accountAgeThresholds = [16, 18, 21, 30, 65] as const
