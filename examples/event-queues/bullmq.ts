import { type Job, Queue, Worker } from 'bullmq'
import type { WebhookEvent } from 'identity-service-sdk'
import { redisStore } from 'identity-service-sdk/stores/redis'
import { Redis, type RedisOptions } from 'ioredis'
import type { EventQueue } from './queue.ts'

const { REDIS_URL = 'redis://127.0.0.1:6379', ATTEMPTS = '10' } = process.env
const { CONCURRENCY = '10', LEASE_MS = '60000' } = process.env

export async function open(): Promise<EventQueue> {
  const connections: Redis[] = []
  const connect = (options: Omit<RedisOptions, 'replyMapping'>) => {
    const redis = new Redis(REDIS_URL, options).on('error', (error) => console.error('redis', error.message))
    connections.push(redis)
    return redis
  }
  // Fails soon if Redis is down or silent, so that the sender of the webhook gets a 503 instead of waiting.
  const connection = connect({
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false, // otherwise, commands that had no response run twice
    maxRetriesPerRequest: 1,
    commandTimeout: 5_000,
    socketTimeout: 10_000, // replaces a connection that stays silent
  })
  await new Promise((resolve) => connection.once('ready', resolve))
  const events = new Queue<WebhookEvent>('verification-events', {
    connection,
    defaultJobOptions: {
      attempts: Number(ATTEMPTS),
      backoff: { type: 'exponential', delay: 1000, jitter: 0.5 }, // 1 s, 2 s, 4 s, ...
      removeOnComplete: true,
    },
  })
  const deadLetters = new Queue<WebhookEvent>('verification-events-dead', { connection })
  for (const queue of [events, deadLetters]) queue.on('error', (error) => console.error(error.message))
  let worker: Worker<WebhookEvent> | undefined

  return {
    store: redisStore(connection),

    enqueue: (event) => events.add(event.type, event),

    async work(handle) {
      async function run(job: Job<WebhookEvent>) {
        try {
          await handle(job.data)
        } catch (error) {
          if (job.attemptsMade + 1 < (job.opts.attempts ?? 1)) throw error
          // After the last attempt. If this fails too, the job stays in the set of failed jobs.
          await deadLetters.add(job.name, job.data)
        }
      }
      const ofWorker = connect({ maxRetriesPerRequest: null }) // waits until Redis is available again
      worker = new Worker<WebhookEvent>(events.name, run, {
        connection: ofWorker,
        concurrency: Number(CONCURRENCY),
        // If a worker crashes, another one takes over its events after this time.
        lockDuration: Number(LEASE_MS),
        stalledInterval: Number(LEASE_MS),
        maxStalledCount: 100,
      })
      worker.on('error', (error) => console.error('worker', error.message))
      await worker.waitUntilReady()
    },

    countDeadLetters: () => deadLetters.getWaitingCount(),

    async retryDeadLetters() {
      for (const job of await deadLetters.getWaiting()) {
        // In this order, so that a crash in between repeats an event and loses none.
        await events.add(job.name, job.data)
        await job.remove()
      }
    },

    async close() {
      await worker?.close() // waits for the events in progress
      await Promise.all([events.close(), deadLetters.close()])
      for (const redis of connections) redis.disconnect()
    },
  }
}
