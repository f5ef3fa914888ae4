import { once } from 'node:events'
import { DelayedError, type Job, Queue, UnrecoverableError, Worker } from 'bullmq'
import {
  BadRequestError,
  type CredentialParams,
  InvalidParamsError,
  isErrorCode,
  isSdkError,
  UnprocessableError,
  VerificationClient,
} from 'identity-service-sdk'
import { connect, delayOf, type LookupResult, queueName } from './queue.ts'

const { CALLS_PER_HOUR = '1000', CONCURRENCY = '10', LOCK_MS = '30000' } = process.env

const connection = connect()
const client = new VerificationClient()
const queue = new Queue<CredentialParams, LookupResult>(queueName, { connection })

type LookupJob = Job<CredentialParams, LookupResult>

async function lookUp(job: LookupJob, token?: string): Promise<LookupResult> {
  try {
    // Every run of this job uses its id as the key, so that the service can recognize it.
    const { data, response } = await client.checks.credential(job.data, { idempotencyKey: job.id }).withResponse()
    const { match = null, license = null } = data.check.data
    console.log(job.id, data.status, response.requestId)
    return { status: data.status, match, license }
  } catch (error) {
    if (isErrorCode(error, 'license_not_found')) return { status: 'not found', match: null }
    if (!isSdkError(error)) throw error
    console.error(job.id, JSON.stringify(error))
    const delayMs = delayOf(error)
    if (delayMs !== undefined) {
      // Uses up no attempt.
      await job.moveToDelayed(Date.now() + delayMs, token)
      throw new DelayedError()
    }
    // The service would reject the same input again.
    if (isRejection(error)) throw new UnrecoverableError(error.message)
    throw error
  }
}

const isRejection = (error: unknown) =>
  error instanceof InvalidParamsError || error instanceof BadRequestError || error instanceof UnprocessableError

// Runs delayed jobs now, because the wallet may have been refilled, or the budget raised.
await queue.promoteJobs()
const worker = new Worker<CredentialParams, LookupResult>(queueName, lookUp, {
  connection,
  concurrency: Number(CONCURRENCY),
  // Of all workers together: every run of a job counts, so the limit bounds what a bug can cost.
  limiter: { max: Number(CALLS_PER_HOUR), duration: 3_600_000 },
  // If a worker crashes, another one takes over its job when the lock expires. This is safe any number of times.
  lockDuration: Number(LOCK_MS),
  stalledInterval: Number(LOCK_MS),
  maxStalledCount: 100,
})
worker.on('error', (error) => console.error('worker', error.message))
await worker.waitUntilReady()

async function stop() {
  // Finishes the lookups in progress, which takes up to a minute. No longer, because Redis may be down or silent.
  setTimeout(() => process.exit(), 70_000).unref()
  await worker.close()
  await Promise.all([queue.close(), client.close()])
  connection.disconnect()
}
Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal))).then(stop)
console.log('waiting for jobs')
