import { TokenValidationError, type TokenValidationReason } from '../errors/sign-in-errors.ts'

/** What a check of a token throws. The checks are the same for all calls, and {@link inTokenCall} adds the call. */
export class TokenRejection {
  readonly reason: TokenValidationReason
  readonly message: string
  readonly claim: string | undefined
  readonly cause: unknown

  constructor(reason: TokenValidationReason, message: string, claim?: string, cause?: unknown) {
    this.reason = reason
    this.message = message
    this.claim = claim
    this.cause = cause
  }
}

/** Runs the checks of a token for a call. @throws {TokenValidationError} for what a check throws */
export async function inTokenCall<T>(operation: string, check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (thrown) {
    if (!(thrown instanceof TokenRejection)) throw thrown
    throw new TokenValidationError({ ...thrown, message: `${operation}: ${thrown.message}` })
  }
}
