import type { IncomingMessage } from 'node:http'
import express from 'express'
import Fastify from 'fastify'
import type { OidcClient } from 'identity-service-sdk'
import { expressSignIn, expressWebhook } from 'identity-service-sdk/express'
import { type FastifyWebhookOptions, fastifyWebhook } from 'identity-service-sdk/fastify'
import { memoryStore, type WebhookEvent, type WebhookHandler } from 'identity-service-sdk/webhooks'

const on = { 'verification.declined': (event: WebhookEvent) => console.log(event.session_id) }

export function expressApp(oidc: OidcClient): express.Express {
  const app = express()
  app.post('/webhooks', expressWebhook({ secret: 'secret', on }))
  app.use(
    expressSignIn({
      oidc,
      store: memoryStore(),
      cookieSecret: ['new', 'old'],
      paths: { login: '/login' },
      onSignIn: (tokens, _: express.Request, response: express.Response) =>
        response.redirect(`/?user=${tokens.claims.sub}`),
    }),
  )
  return app
}

export async function fastifyApp(): Promise<void> {
  const app = Fastify()
  const options: FastifyWebhookOptions = { path: '/webhooks', secret: 'secret', on }
  await app.register(fastifyWebhook, options)
  // @ts-expect-error: path is required
  await app.register(fastifyWebhook, { secret: 'secret', on })
}

export async function plainNode(handler: WebhookHandler, { headers }: IncomingMessage, body: Buffer) {
  const { outcome } = await handler.handle({ body, headers })
  return outcome === 'processed'
}
