import { errorCatalog } from '../../contract/errors/catalog.ts'
import type { KnownErrorCode } from '../../contract/errors/codes.ts'

interface ServiceErrorFacts {
  readonly status: number
  readonly code: string
  readonly message: string
  /** Members of the envelope's `error` beside `code` and `message`. */
  readonly details?: Readonly<Record<string, unknown>> | undefined
  /** What stands in the envelope's `data`. @default null */
  readonly data?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** The service says no. Thrown anywhere on the way of a request; the envelope is written in one place. */
export class ServiceError extends Error {
  readonly facts: ServiceErrorFacts

  constructor(facts: ServiceErrorFacts) {
    super(facts.message)
    this.facts = facts
  }
}

/**
 * A refusal with a documented code.
 *
 * @param facts `status`: needed where the catalogue gives none, or several and the first is not meant
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
  const { statuses, meaning } = errorCatalog[code]
  return new ServiceError({
    status: facts.status ?? statuses[0] ?? 500,
    code,
    message: facts.message ?? meaning,
    details: facts.details,
    data: facts.data,
    headers: facts.headers,
  })
}
