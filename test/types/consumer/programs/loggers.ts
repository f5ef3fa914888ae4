// Passes the logger of an application to everything that logs.
import bunyan from 'bunyan'
import type { FastifyInstance } from 'fastify'
import { createWebhookHandler, type Logger, memoryStore, OrgClient, VerificationClient } from 'identity-service-sdk'
import pino from 'pino'
import winston from 'winston'

const level = process.env.LOG_LEVEL ?? 'info'

export const clients = [
  new VerificationClient({ logger: pino({ level }) }),
  new VerificationClient({ logger: pino({ level }).child({ component: 'identity' }) }),
  new OrgClient({ logger: winston.createLogger({ level }) }),
  new OrgClient({ logger: bunyan.createLogger({ name: 'app' }) }),
  new OrgClient({ logger: console }),
]

export const plugin = async (app: FastifyInstance): Promise<void> => {
  const client = new VerificationClient({ logger: app.log })
  app.get('/', () => client.sessions.list())
}

// A logger with other methods is adapted by an object literal.
export function adapted(log: (line: string, fields?: object) => void) {
  const logger: Logger = { debug: log, info: log, warn: log, error: log }
  return createWebhookHandler({
    secret: process.env.SVC_WEBHOOK_SECRET,
    store: memoryStore(),
    logger,
    onTestEvent: () => {},
  })
}
