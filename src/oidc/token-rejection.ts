import { Rejection } from '../errors/rejection.ts'
import { TokenValidationError, type TokenValidationReason } from '../errors/sign-in-errors.ts'

/** What a check of a token throws. */
export class TokenRejection extends Rejection<ConstructorParameters<typeof TokenValidationError>[0]> {
  constructor(reason: TokenValidationReason, message: string, claim?: string, cause?: unknown) {
    super(TokenValidationError, { reason, message, claim, cause })
  }
}
