import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common'
import type { Response } from 'express'
import { isErrorCode, SdkError } from 'identity-service-sdk'
import { logError } from './identity.module.ts'

/** Responds to errors of the package. Without it, Nest responds with 500 and no request id. */
@Catch(SdkError)
export class SdkErrorFilter implements ExceptionFilter<SdkError> {
  catch(error: SdkError, host: ArgumentsHost) {
    const response = host.switchToHttp().getResponse<Response>()
    if (isErrorCode(error, 'verification_limit')) {
      response.set('retry-after', String(Math.ceil(error.retryAfterMs / 1000)))
      return response.status(429).json({ error: 'too many attempts' })
    }
    logError(error)
    const { requestId, retryable = false } = error
    return response.status(retryable ? 503 : 502).json({ error: 'verification is not available', requestId })
  }
}
