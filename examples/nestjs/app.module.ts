import { Controller, Get, Inject, Module, Param, Post, Redirect, Req, Res, UseGuards } from '@nestjs/common'
import { APP_FILTER } from '@nestjs/core'
import type { Request, Response } from 'express'
import { parseReturnUrl, type VerificationManager } from 'identity-service-sdk'
import { ApprovedGuard } from './approved.guard.ts'
import { IdentityModule, VERIFICATIONS, WEBHOOK, type Webhook } from './identity.module.ts'
import { SdkErrorFilter } from './sdk-error.filter.ts'

/** A shop for adults. In a real app, take the customer from your own sign-in, because anyone can type a path. */
@Controller()
class CustomersController {
  constructor(@Inject(VERIFICATIONS) private readonly verifications: VerificationManager) {}

  @Get()
  home() {
    return '<form method="post" action="/customers/ada/verification"><button>Verify Ada</button></form>'
  }

  @Post('customers/:id/verification')
  @Redirect()
  async verify(@Param('id') id: string) {
    // Resumes an open session, or creates one. Nobody who is approved or in review gets another.
    const { state, url } = await this.verifications.start(id)
    return { url: state === 'open' ? url : `/customers/${encodeURIComponent(id)}`, statusCode: 303 }
  }

  // Anyone can forge the parameters of this URL, so the page shows no outcome.
  @Get('return')
  back(@Req() { url }: Request) {
    return parseReturnUrl(url).sessionId ? 'Thank you. The result is on its way.' : 'The session id is missing.'
  }

  @Get('customers/:id')
  async customer(@Param('id') id: string) {
    const { state } = await this.verifications.get(id)
    return { state }
  }

  @Get('customers/:id/wine')
  @UseGuards(ApprovedGuard)
  wine() {
    return 'Welcome. Here is the wine.'
  }
}

@Controller('webhooks')
class WebhooksController {
  constructor(@Inject(WEBHOOK) private readonly webhook: Webhook) {}

  /** The handler responds by itself. It reads the raw body that main.ts has kept. */
  @Post()
  receive(@Req() request: Request, @Res() response: Response) {
    return this.webhook(request, response)
  }
}

@Module({
  imports: [IdentityModule],
  controllers: [CustomersController, WebhooksController],
  providers: [{ provide: APP_FILTER, useClass: SdkErrorFilter }],
})
export class AppModule {}
