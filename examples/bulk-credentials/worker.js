import { DelayedError, Queue, UnrecoverableError, Worker } from 'bullmq'
import { isErrorCode, isSdkError, VerificationClient } from 'identity-service-sdk'
import { redisStore } from 'identity-service-sdk/stores/redis'
import { connect, queueName } from './queue.js'

const { CALLS_PER_HOUR = '1000', CONCURRENCY = '10', LOCK_MS = '30000' } = process.env

const connection = connect()
const client = new VerificationClient({
  // For all workers together: they count in the same store.
  spendLimit: { calls: Number(CALLS_PER_HOUR), perMs: 3_600_000, store: redisStore(connection) },
})
const queue = new Queue(queueName, { connection })

async function lookUp(job, token) {
  try {
    // Whoever runs this job, and however often, asks under its name: the service charges one name once.
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
    return putOff(error, job, token)
  }
}

async function putOff(error, job, token) {
  // No fault of this job: it comes again later, and has lost no attempt.
  if (error.code === 'spend_limit' || error.status === 402 || error.status === 429) {
    await job.moveToDelayed(Date.now() + (error.retryAfterMs ?? 60_000), token)
    throw new DelayedError()
  }
  // What was refused for what it says will be refused again.
  const isRefused = error.code === 'invalid_params' || error.status === 400 || error.status === 422
  if (isRefused) throw new UnrecoverableError(error.message)
  throw error
}

// A limit that was raised counts from now on.
await queue.promoteJobs()
const worker = new Worker(queueName, lookUp, {
  connection,
  concurrency: Number(CONCURRENCY),
  // A job whose worker died goes to another when its lock has run out. That is safe as often as it happens.
  lockDuration: Number(LOCK_MS),
  stalledInterval: Number(LOCK_MS),
  maxStalledCount: 100,
})
worker.on('error', (error) => console.error('worker', error.message))
await worker.waitUntilReady()
console.log('waiting for jobs')

async function stop() {
  // Lookups under way, which take up to a minute, are finished first.
  await worker.close()
  await Promise.all([queue.close(), client.close()])
  connection.disconnect()
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)
