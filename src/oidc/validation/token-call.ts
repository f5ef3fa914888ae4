import { TokenValidationError } from '../../errors/sign-in-errors.ts'

/**
 * Runs the checks of a token, and names the call in the message of their error. The checks are the same for all calls.
 *
 * @throws {TokenValidationError}
 */
export async function inTokenCall<T>(operation: string, check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (thrown) {
    if (!(thrown instanceof TokenValidationError)) throw thrown
    const { reason, claim, cause, message } = thrown
    throw new TokenValidationError({ reason, claim, cause, message: `${operation}: ${message}` })
  }
}
