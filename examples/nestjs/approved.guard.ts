import { type CanActivate, type ExecutionContext, ForbiddenException, Inject, Injectable } from '@nestjs/common'
import type { Request } from 'express'
import { isErrorCode, type VerificationManager } from 'identity-service-sdk'
import { VERIFICATIONS } from './identity.module.ts'

const yearMs = 365 * 86_400_000

/** Lets people in who are approved. Others get a 403 that says why, and where they can be verified. */
@Injectable()
export class ApprovedGuard implements CanActivate {
  constructor(@Inject(VERIFICATIONS) private readonly verifications: VerificationManager) {}

  // The promise gives the answer, so that a missing `await` cannot let anybody in.
  canActivate(context: ExecutionContext): Promise<boolean> {
    const { id } = context.switchToHttp().getRequest<Request<{ id: string }>>().params
    return this.verifications.ensureApproved(id, { maxAgeMs: yearMs }).then(
      () => true,
      (error: unknown) => this.refuse(id, error),
    )
  }

  private async refuse(id: string, error: unknown): Promise<never> {
    if (!isErrorCode(error, 'not_verified')) throw error
    const { reason } = error
    // Another attempt after a decline is the person's own decision, so it gets no address.
    const url = reason === 'declined' ? undefined : (await this.verifications.start(id)).url
    throw new ForbiddenException({ error: 'not verified', reason, url })
  }
}
