import { Queue, Worker } from 'bullmq'
import type { WebhookEvent } from 'identity-service-sdk'
import { Redis } from 'ioredis'

const { REDIS_URL = 'redis://127.0.0.1:6379', JOB_EVERY_MS = '900000' } = process.env
/** How often the regular job runs, for how long an outcome may be missing, and an account is kept after it was closed. */
export const jobEveryMs = Number(JOB_EVERY_MS)

/** Without a decision, because the manager reads it, and it contains personal data. */
type QueuedEvent = Omit<WebhookEvent, 'decision'>

/** Connects to Redis. It fails soon if Redis is down or silent, so that a person or a sender does not wait. */
export function openRedis(): Redis {
  const limits = { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 5_000, socketTimeout: 10_000 }
  // Otherwise, commands that had no response would be sent again.
  const redis = new Redis(REDIS_URL, { ...limits, autoResendUnfulfilledCommands: false })
  return redis.on('error', (error) => console.error('redis', error.message))
}

/** The queue of the events, to which the server adds them. */
export function openQueue(connection: Redis) {
  const queue = new Queue<QueuedEvent>('verification-events', {
    connection,
    defaultJobOptions: {
      attempts: 10,
      backoff: { type: 'exponential', delay: 1000, jitter: 0.5 }, // 1 s, 2 s, 4 s, ...
      removeOnComplete: true,
      removeOnFail: false, // an event that failed in every attempt stays, until somebody looks at it
    },
  })
  return queue.on('error', (error) => console.error('queue', error.message))
}

/** Processes events, in any number of processes. In each interval, one of them runs `regular`. */
export async function work(queue: ReturnType<typeof openQueue>, { event, regular }: Handlers) {
  await queue.upsertJobScheduler('regular', { every: jobEveryMs }, { name: 'regular' })
  const connection = new Redis(REDIS_URL, { maxRetriesPerRequest: null }) // waits until Redis is available again
  connection.on('error', (error) => console.error('redis', error.message))
  const worker = new Worker<QueuedEvent>(
    queue.name,
    ({ name, data }) => (name === 'regular' ? regular() : event(data)),
    // If a worker crashes, another one takes over its events after one to two minutes.
    { connection, concurrency: 10, lockDuration: 60_000, stalledInterval: 60_000, maxStalledCount: 100 },
  )
  worker.on('error', (error) => console.error('worker', error.message))
  await worker.waitUntilReady()
  return async () => {
    await worker.close() // waits for the events in progress
    connection.disconnect()
  }
}

interface Handlers {
  event: (event: QueuedEvent) => Promise<void>
  regular: () => Promise<void>
}
