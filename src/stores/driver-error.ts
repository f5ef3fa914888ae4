import { defaultErrorDetail, type ErrorDetail, factsOfThrown, howToSee } from '../errors/error-detail.ts'
import { isSdkError } from '../errors/is-sdk-error.ts'
import { StoreError } from '../errors/sdk-error.ts'

/** An operation of a store that failed. */
export interface FailedOperation {
  /** The subject of the error's message, such as `Redis`. */
  readonly engine: string
  readonly operation: string
  readonly mayHaveHappened: boolean
  readonly errorDetail: ErrorDetail | undefined
}

/**
 * Creates the `StoreError` for what a driver threw. It shows no word of the driver, because drivers put the parameters,
 * the row, the statement and the address into their errors.
 */
export function driverError(
  thrown: unknown,
  { engine, operation, mayHaveHappened, errorDetail = defaultErrorDetail() }: FailedOperation,
): Error {
  if (isSdkError(thrown)) return thrown
  const { name, code = engine === 'Redis' ? redisCode(thrown) : undefined } = factsOfThrown(thrown)
  const { message } = Object(thrown) as { readonly message?: unknown }
  const why = errorDetail === 'full' ? message : `for the message of the driver, ${howToSee('original')}`
  const kind = code ?? name
  return new StoreError({
    message: `${engine} failed at ${operation}${kind === 'Error' ? '' : ` (${kind})`}: ${why}`,
    cause: thrown,
    mayHaveHappened,
    errorDetail,
  })
}

/** The protocol of Redis starts an error with its code: "WRONGTYPE Operation against a key...". */
const redisCode = (thrown: unknown) =>
  /^[A-Z]{3,20}(?= )/.exec(String((Object(thrown) as { message?: unknown }).message))?.[0]

/** The code that a driver gave, such as an SQLSTATE. */
export const codeOf = (thrown: unknown): unknown => (Object(thrown) as { code?: unknown }).code
