import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { Queue, QueueEvents } from 'bullmq'
import { parse } from 'csv-parse'
import {
  credentialParams,
  isSdkError,
  missingFields,
  pickProvider,
  VerificationClient,
} from 'identity-service-sdk'
import { connect, nameOf, queueName } from './queue.js'

const [file, batch = basename(file)] = process.argv.slice(2)
const client = new VerificationClient() // reads SVC_BASE_URL and SVC_API_KEY

// Discovery comes first: it lists the boards and the fields that each requires.
const states = new Set((await client.credentials.listStates()).map(({ state_code }) => state_code))
const boards = new Map()
async function providersOf(state) {
  if (!states.has(state)) throw new Error(`no board for ${state}`)
  if (!boards.has(state)) boards.set(state, client.credentials.listProviders(state))
  return boards.get(state)
}

async function paramsOf({ state, credential_code, full_name, ...collected }) {
  const provider = pickProvider(await providersOf(state), credential_code)
  const missing = missingFields(provider, collected)
  if (missing.length > 0) throw new Error(`${credential_code} requires ${missing.join(' and ')}`)
  return { ...credentialParams(provider, collected), full_name }
}

const connection = connect()
const queue = new Queue(queueName, {
  connection,
  defaultJobOptions: {
    attempts: 8,
    backoff: { type: 'exponential', delay: 1000, jitter: 0.5 },
    // Completed jobs are kept, so that a second run does not look them up again.
    removeOnComplete: { age: 30 * 86_400 },
  },
})
const listening = connect()
const events = new QueueEvents(queueName, { connection: listening })
await events.waitUntilReady()

let problems = 0
const report = (row, outcome) => console.log(`row ${row}\t${outcome}`)

const jobs = []
let row = 1
for await (const record of createReadStream(file).pipe(parse({ columns: true, bom: true, trim: true }))) {
  row += 1
  try {
    const params = await paramsOf(record)
    jobs.push({ row, job: await queue.add('lookup', params, { jobId: nameOf(batch, params) }) })
  } catch (error) {
    if (isSdkError(error) && error.code !== 'invalid_params') throw error
    problems += 1
    report(row, `not queued: ${error.message}`)
  }
}
console.log(`${jobs.length} queued`)

await Promise.all(
  jobs.map(async ({ row, job }) => {
    // The job failed in an earlier run. Running this program again retries it.
    if (await job.isFailed()) await job.retry('failed', { resetAttemptsMade: true })
    try {
      const { status, match, license } = await job.waitUntilFinished(events)
      report(row, [status, `match ${match}`, license?.status, license?.expires_at].filter(Boolean).join(', '))
    } catch (error) {
      problems += 1
      report(row, `failed: ${error.message}`)
    }
  }),
)
await Promise.all([queue.close(), events.close(), client.close()])
for (const redis of [connection, listening]) redis.disconnect()
if (problems > 0) process.exitCode = 1
