import { isSdkError, StoreError } from '../errors/sdk-error.ts'

/**
 * What a driver threw, as a `StoreError`. Drivers put the parameters, the row, the statement and the address into
 * their errors: of those, `cause` keeps the name, the code, and a message that is plain words.
 *
 * @param texts what the operation was given: a message that holds any of it is left out
 */
export function driverError(
  engine: string,
  operation: string,
  thrown: unknown,
  texts: readonly string[],
): Error {
  if (isSdkError(thrown)) return thrown
  const cause = plainCause(thrown, texts)
  return new StoreError(`${engine} failed at ${operation}: ${cause.message}`, cause)
}

function plainCause(thrown: unknown, texts: readonly string[]): Error {
  const error: Partial<Record<'name' | 'code' | 'message', unknown>> =
    typeof thrown === 'object' && thrown !== null ? thrown : {}
  const message = typeof error.message === 'string' ? error.message : ''
  const harmless = (text: string) => !texts.some((given) => given !== '' && text.includes(given))
  // Redis begins its refusals with a code: "WRONGTYPE Operation against a key...".
  const [spoken] = message.match(/^[A-Z]{3,20}(?= )/)?.filter(harmless) ?? []
  const isCode = typeof error.code === 'string' && /^[A-Z0-9_]{1,40}$/.test(error.code)
  const code = isCode ? (error.code as string) : spoken
  // The system's messages, which hold their code, name a host as well.
  const isPlain = /^[A-Za-z][A-Za-z ,.'-]{0,199}$/.test(message) && !(code && message.includes(code))
  const plain = new Error(isPlain && harmless(message) ? message : (code ?? 'for a reason that is not shown'))
  const name = className(thrown)
  if (name !== undefined) Object.defineProperty(plain, 'name', { value: name, configurable: true })
  if (code !== undefined) Object.assign(plain, { code })
  plain.stack = `${plain.name}: ${plain.message}`
  return plain
}

/** Not every driver sets `name`. */
function className(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined
  const name = thrown.name === 'Error' ? thrown.constructor.name : thrown.name
  return /^[A-Za-z]{1,64}$/.test(name) ? name : undefined
}

/** The code that a driver gave, such as an SQLSTATE. */
export function codeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null ? (thrown as { code?: unknown }).code : undefined
}
