export { type FastifyWebhookOptions, fastifyWebhook } from './frameworks/fastify.ts'
