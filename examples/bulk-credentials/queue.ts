import { createHash } from 'node:crypto'
import {
  type AnySdkError,
  type CredentialParams,
  type LicenseData,
  PaymentRequiredError,
  RateLimitError,
  SpendLimitError,
} from 'identity-service-sdk'
import { Redis } from 'ioredis'

export const queueName = 'license-lookups'

/** What a job stores when it is completed. */
export interface LookupResult {
  status: string
  match: boolean | null
  license?: LicenseData | null
}

export function connect() {
  const { REDIS_URL = 'redis://127.0.0.1:6379' } = process.env
  // BullMQ requires null: commands wait until Redis is available again.
  const redis = new Redis(REDIS_URL, { maxRetriesPerRequest: null })
  return redis.on('error', (error) => console.error('redis', error.message))
}

/**
 * Returns the name of a lookup, in the queue and at the service. The same lookup in the same batch has the same
 * name, so it is one job if it is added twice, and each run has the same idempotency key. Another batch looks it up
 * again.
 */
export const nameOf = (batch: string, params: CredentialParams) =>
  `lookup-${createHash('sha256')
    .update(JSON.stringify([batch, params]))
    .digest('hex')}`

/** Returns how long a job waits, in milliseconds, if the wallet is empty or the budget is used up. */
export function delayOf(error: AnySdkError): number | undefined {
  if (error instanceof PaymentRequiredError || error instanceof RateLimitError) return error.retryAfterMs ?? 60_000
  // `beforeBillable` of the client threw it. The limiter of docs/guides/spend-limits.md says when its counter ends. That of
  // a month ends after the month, so the job looks again each hour.
  if (error instanceof SpendLimitError) return Math.min(Object(error.original).msBeforeNext ?? 60_000, 3_600_000)
  return undefined
}
