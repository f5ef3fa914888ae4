import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { joinRules } from '../options/rules.ts'
import { handlerOptionRules, type WebhookHandlerOptions } from '../webhooks/options.ts'
import { WebhookReceiver } from '../webhooks/receiver.ts'
import { toHttpResponse } from '../webhooks/result.ts'
import { drainNodeBody, readNodeBody } from './read-node-body.ts'

/** The route of the plugin. */
export interface RouteOption {
  /** Path of the route that receives deliveries, such as `/webhooks`. */
  readonly path: string
}

/** Options of the plugin. They are read once, when it is registered. */
export type FastifyWebhookOptions = RouteOption & WebhookHandlerOptions

const optionRules = /* @__PURE__ */ joinRules(handlerOptionRules, {
  path: true,
  // Fastify reads these of every plugin.
  prefix: true,
  logLevel: true,
  logSerializers: true,
})

/**
 * Adds a route that handles webhooks to a Fastify app. The plugin keeps bodies raw for its own route only. The other
 * routes of the app keep their parsers.
 *
 * @throws {ConfigurationError} an option has a wrong value, or a name that is not an option
 *
 * @example
 * await fastify.register(fastifyWebhook, { path: '/webhooks', secret, on: { 'verification.approved': unlock } })
 */
export async function fastifyWebhook(fastify: FastifyInstance, options: FastifyWebhookOptions): Promise<void> {
  const receiver = new WebhookReceiver('fastifyWebhook', options, optionRules)
  if (typeof options.path !== 'string')
    throw new ConfigurationError({
      message: 'fastifyWebhook: path is missing: pass the path of the route, such as /webhooks',
    })

  fastify.removeAllContentTypeParsers()
  // The route reads the body, because a parser of Fastify keeps every chunk until the end.
  fastify.addContentTypeParser('*', (_, payload, done) => done(null, payload))

  fastify.post(options.path, async ({ body: stream, headers: received, raw }, reply) => {
    const result = await (stream instanceof Readable
      ? receiver.receiveBody(
          (maxBytes) => readNodeBody(stream, maxBytes),
          received,
          () => drainNodeBody(stream),
        )
      : receiver.receive({ body: stream, headers: received }))
    const { status, headers, body } = toHttpResponse(result)
    // Otherwise the rest of an unread body would be parsed as the next request.
    if (!raw.complete) reply.header('connection', 'close')
    return reply.status(status).headers(headers).send(body)
  })
}
