import type { FastifyInstance } from 'fastify'
import { bodyTooLarge, type WebhookHandlerOptions, WebhookReceiver } from '../webhooks/handler.ts'
import { toHttpResponse } from '../webhooks/http-response.ts'
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
  const events = new WebhookReceiver(options)
  const { maxBodyBytes } = events.settings

  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_, body, done) =>
    done(null, body),
  )

  fastify.setErrorHandler((error: { code?: string; statusCode?: number }, _, reply) => {
    if (error.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error
    const { status, headers, body } = toHttpResponse(events.reject(413, bodyTooLarge(maxBodyBytes)))
    return reply.status(status).headers(headers).send(body)
  })

  fastify.post(options.path, { bodyLimit: maxBodyBytes }, async (request, reply) => {
    const delivery = { body: request.body as WebhookBody, headers: request.headers }
    const { status, headers, body } = toHttpResponse(await events.receive(delivery))
    return reply.status(status).headers(headers).send(body)
  })
}
