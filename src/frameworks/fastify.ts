import type { FastifyInstance } from 'fastify'
import { bodyTooLarge, WebhookEvents, type WebhookHandlerOptions } from '../webhooks/handler.ts'
import { answerTo } from '../webhooks/http-response.ts'
import type { WebhookBody } from '../webhooks/signature.ts'

/** Read once, when the plugin is registered. */
export interface FastifyWebhookOptions extends WebhookHandlerOptions {
  /** Where deliveries are taken, such as `/webhooks`. */
  readonly path: string
}

/**
 * Receives webhooks in a Fastify app. The plugin keeps bodies raw for its own route only; the parsers of the rest of
 * the app stay as they are.
 *
 * @throws {ConfigurationError} an option cannot work
 * @see service contract, section 6
 *
 * @example
 * await fastify.register(fastifyWebhook, { path: '/webhooks', secret, on: { 'verification.approved': unlock } })
 */
export async function fastifyWebhook(
  fastify: FastifyInstance,
  options: FastifyWebhookOptions,
): Promise<void> {
  const events = new WebhookEvents(options)
  const { maxBodyBytes } = events.settings

  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_, body, done) =>
    done(null, body),
  )

  fastify.setErrorHandler((error: { code?: string; statusCode?: number }, _, reply) => {
    if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
    const { status, headers, body } = answerTo(events.refuse(413, bodyTooLarge(maxBodyBytes)))
    return reply.status(status).headers(headers).send(body)
  })

  fastify.post(options.path, { bodyLimit: maxBodyBytes }, async (request, reply) => {
    const delivery = { body: request.body as WebhookBody, headers: request.headers }
    const { status, headers, body } = answerTo(await events.take(delivery))
    return reply.status(status).headers(headers).send(body)
  })
}
