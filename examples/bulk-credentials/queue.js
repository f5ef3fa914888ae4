import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'

export const queueName = 'licence-lookups'

export function connect() {
  const { REDIS_URL = 'redis://127.0.0.1:6379' } = process.env
  // BullMQ asks for null: a command waits until Redis is back.
  const redis = new Redis(REDIS_URL, { maxRetriesPerRequest: null })
  return redis.on('error', (error) => console.error('redis', error.message))
}

/**
 * The same lookup of the same batch has the same name, in the queue and at the service: added twice it is one job,
 * and run twice it is one charge. Another batch asks anew.
 */
export const nameOf = (batch, params) =>
  `lookup-${createHash('sha256')
    .update(JSON.stringify([batch, params]))
    .digest('hex')}`
