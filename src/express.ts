export { expressWebhook, type WebhookRequest } from './frameworks/express.ts'
export { type ExpressSignInOptions, expressSignIn } from './frameworks/express-sign-in.ts'
