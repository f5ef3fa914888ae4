import { errorIn, Rejection } from '../errors/rejection.ts'
import { TokenValidationError, type TokenValidationReason } from '../errors/sign-in-errors.ts'

/** What a check of a token throws. */
export class TokenRejection extends Rejection<ConstructorParameters<typeof TokenValidationError>[0]> {
  constructor(reason: TokenValidationReason, message: string, claim?: string, cause?: unknown) {
    super(TokenValidationError, { reason, message, claim, cause })
  }
}

/** Runs the checks of a token for a call. @throws {TokenValidationError} for what a check throws */
export async function inTokenCall<T>(operation: string, check: () => Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (thrown) {
    throw errorIn(operation, thrown)
  }
}
