import { plainCause } from '../errors/cause.ts'
import { isSdkError } from '../errors/is-sdk-error.ts'
import { StoreError } from '../errors/sdk-error.ts'

/** An operation of a store that failed. */
export interface FailedOperation {
  /** The subject of the error's message, such as `Redis`. */
  readonly engine: string
  readonly operation: string
  /** What the operation was given. A message that contains any of it is withheld. */
  readonly texts: readonly string[]
  readonly mayHaveHappened: boolean
}

/**
 * Creates the `StoreError` for what a driver threw. Drivers put the parameters, the row, the statement and the address
 * into their errors. The cause keeps the class name, the code, and a message of plain words only.
 */
export function driverError(
  thrown: unknown,
  { engine, operation, texts, mayHaveHappened }: FailedOperation,
): Error {
  if (isSdkError(thrown)) return thrown
  // Rebuilt before anything of it is read, because its getters may throw.
  const failure = plainCause(thrown, { describe: (text) => text }, 0)
  const { message } = failure instanceof Error ? failure : new Error()
  const quotes = (text: string, shortest: number) =>
    texts.some((given) => given.length >= shortest && text.includes(given))
  // A code contains a short value, such as a digit, by chance.
  const code = [codeOf(failure), leadingCode(message)].find(
    (one) => typeof one === 'string' && /^[A-Z0-9_]{1,40}$/.test(one) && !quotes(one, 4),
  ) as string | undefined
  const mask = (text: string) => {
    // System messages, which contain their code, also name a host.
    const isPlain = /^[A-Za-z][A-Za-z ,.'-]{0,199}$/.test(text) && !(code && text.includes(code))
    return isPlain && !quotes(text, 1) ? text : (code ?? 'the reason is withheld')
  }
  const cause = plainCause(failure, { redact: mask, describe: (text) => text }, 0)
  if (cause instanceof Error) {
    if (code === undefined) Reflect.deleteProperty(cause, 'code')
    else Object.assign(cause, { code })
  }
  return new StoreError({
    message: `${engine} failed at ${operation}: ${mask(message)}`,
    cause,
    mayHaveHappened,
  })
}

/** Redis starts its errors with a code: "WRONGTYPE Operation against a key...". */
const leadingCode = (message: string) => /^[A-Z]{3,20}(?= )/.exec(message)?.[0]

/** The code that a driver gave, such as an SQLSTATE. */
export const codeOf = (thrown: unknown): unknown => (Object(thrown) as { code?: unknown }).code
