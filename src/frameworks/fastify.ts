import type { FastifyInstance } from 'fastify'
import { WebhookReceiver } from '../webhooks/handler.ts'
import type { WebhookHandlerOptions } from '../webhooks/handler-options.ts'
import { toHttpResponse } from '../webhooks/http-response.ts'

/** Options of the plugin. They are read once, when it is registered. */
export interface FastifyWebhookOptions extends WebhookHandlerOptions {
  /** Path of the route that receives deliveries, such as `/webhooks`. */
  readonly path: string
}

/**
 * Adds a route that handles webhooks to a Fastify app. The plugin keeps bodies raw for its own route only. The other
 * routes of the app keep their parsers.
 *
 * @throws {ConfigurationError} an option has a wrong value
 * @see service contract, section 6
 *
 * @example
 * await fastify.register(fastifyWebhook, { path: '/webhooks', secret, on: { 'verification.approved': unlock } })
 */
export async function fastifyWebhook(
  fastify: FastifyInstance,
  options: FastifyWebhookOptions,
): Promise<void> {
  const receiver = new WebhookReceiver(options)
  const { maxBodyBytes } = receiver.settings

  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_, body, done) =>
    done(null, body),
  )

  fastify.setErrorHandler((error: { code?: string; statusCode?: number }, _, reply) => {
    if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
    const { status, headers, body } = toHttpResponse(receiver.rejectTooLarge())
    return reply.status(status).headers(headers).send(body)
  })

  fastify.post(options.path, { bodyLimit: maxBodyBytes }, async (request, reply) => {
    const result = await receiver.receive({ body: request.body, headers: request.headers })
    const { status, headers, body } = toHttpResponse(result)
    return reply.status(status).headers(headers).send(body)
  })
}
