/**
 * Webhooks for Fastify 4 and 5.
 *
 * @module identity-service-sdk/fastify
 */

// So that what the entries share is one file of the build.
import './index.ts'

export { type FastifyWebhookOptions, fastifyWebhook, type RouteOption } from './frameworks/fastify.ts'
