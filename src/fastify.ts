/**
 * Webhooks for Fastify 4 and 5.
 *
 * @module identity-service-sdk/fastify
 */

export { type FastifyWebhookOptions, fastifyWebhook, type RouteOption } from './frameworks/fastify.ts'
