/**
 * Webhooks and sign-in for Express 4 and 5.
 *
 * @module identity-service-sdk/express
 */

export { expressWebhook, type WebhookRequest } from './frameworks/express.ts'
export { type ExpressSignInOptions, expressSignIn } from './frameworks/express-sign-in.ts'
