import { Rejection } from '../errors/rejection.ts'
import { TokenValidationError, type TokenValidationReason } from '../errors/sign-in-errors.ts'

/** What a check of a token throws. */
export const tokenRejection = (reason: TokenValidationReason, message: string, claim?: string, cause?: unknown) =>
  new Rejection((call) => new TokenValidationError({ reason, message: `${call}: ${message}`, claim, cause }))
