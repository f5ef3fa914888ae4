import { DelayedError, Queue, UnrecoverableError, Worker } from 'bullmq'
import { isErrorCode, isSdkError, VerificationClient } from 'identity-service-sdk'
import { redisStore } from 'identity-service-sdk/stores/redis'
import { connect, queueName } from './queue.js'

const { CALLS_PER_HOUR = '1000', CONCURRENCY = '10', LOCK_MS = '30000' } = process.env

const connection = connect()
const client = new VerificationClient({
  // One limit for all workers, because they share the store.
  spendLimit: { calls: Number(CALLS_PER_HOUR), perMs: 3_600_000, store: redisStore(connection) },
})
const queue = new Queue(queueName, { connection })

async function lookUp(job, token) {
  try {
    // Every run of this job uses its id as the key, so that the service can recognize it.
    const { data, response } = await client.checks
      .credential(job.data, { idempotencyKey: job.id })
      .withResponse()
    const { match, license } = data.check.data
    console.log(job.id, data.status, response.requestId)
    return { status: data.status, match, license }
  } catch (error) {
    if (isErrorCode(error, 'license_not_found')) return { status: 'not found', match: null }
    if (!isSdkError(error)) throw error
    console.error(job.id, JSON.stringify(error))
    return postponeOrFail(error, job, token)
  }
}

async function postponeOrFail(error, job, token) {
  // The job is not at fault. Delay it without using up an attempt.
  if (error.code === 'spend_limit' || error.status === 402 || error.status === 429) {
    await job.moveToDelayed(Date.now() + (error.retryAfterMs ?? 60_000), token)
    throw new DelayedError()
  }
  // The service would reject the same input again.
  const isRejected = error.code === 'invalid_params' || error.status === 400 || error.status === 422
  if (isRejected) throw new UnrecoverableError(error.message)
  throw error
}

// Runs delayed jobs now, because the spend limit may have been raised.
await queue.promoteJobs()
const worker = new Worker(queueName, lookUp, {
  connection,
  concurrency: Number(CONCURRENCY),
  // If a worker crashes, another one takes over its job when the lock expires. This is safe any number of times.
  lockDuration: Number(LOCK_MS),
  stalledInterval: Number(LOCK_MS),
  maxStalledCount: 100,
})
worker.on('error', (error) => console.error('worker', error.message))
await worker.waitUntilReady()

async function stop() {
  // Finishes the lookups in progress, which takes up to a minute.
  await worker.close()
  await Promise.all([queue.close(), client.close()])
  connection.disconnect()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
console.log('waiting for jobs')
