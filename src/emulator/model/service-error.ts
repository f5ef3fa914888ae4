import { errorCatalog, type KnownErrorCode } from '../../contract/errors/catalog.ts'

interface ServiceErrorFacts {
  readonly status: number
  readonly code: string
  readonly message: string
  /** Members of the envelope's `error` in addition to `code` and `message`. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
  /** The envelope's `data`. @default null */
  readonly data?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * An error response of the service. Thrown anywhere while a request is handled, and put into an envelope in one place.
 */
export class ServiceError extends Error {
  readonly facts: ServiceErrorFacts

  constructor(facts: ServiceErrorFacts) {
    super(facts.message)
    this.facts = facts
  }
}

/**
 * Creates the error for a documented code.
 *
 * @param facts set `status` if the catalog lists no status for the code, or if it lists several and you do not want
 *   the first
 */
export function serviceError(
  code: KnownErrorCode,
  facts: {
    readonly status?: number
    readonly message?: string
    readonly details?: ServiceErrorFacts['details']
    readonly data?: unknown
    readonly headers?: ServiceErrorFacts['headers']
  } = {},
): ServiceError {
  const { statuses, meaning } = errorCatalog()[code]
  return new ServiceError({
    status: facts.status ?? statuses[0] ?? 500,
    code,
    message: facts.message ?? meaning,
    details: facts.details,
    data: facts.data,
    headers: facts.headers,
  })
}
