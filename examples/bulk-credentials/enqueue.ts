import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { type Job, Queue, QueueEvents } from 'bullmq'
import { type CsvError, parse } from 'csv-parse'
import {
  type CredentialParams,
  type CredentialProvider,
  credentialParams,
  isSdkError,
  VerificationClient,
} from 'identity-service-sdk'
import { connect, type LookupResult, nameOf, queueName } from './queue.ts'

const [file, name] = process.argv.slice(2)
if (!file) throw new Error('usage: enqueue.ts FILE [BATCH]')
const batch = name ?? basename(file)
const client = new VerificationClient() // reads SVC_BASE_URL and SVC_API_KEY

// Discovery comes first: it lists the boards and the fields that each requires.
const states = new Set((await client.credentials.listStates()).map(({ state_code }) => state_code))
const boards = new Map<string, Promise<CredentialProvider[]>>()
function providersOf(state: string): Promise<CredentialProvider[]> {
  if (!states.has(state)) throw new Error(`no board for ${state}`)
  const providers = boards.get(state) ?? client.credentials.listProviders(state)
  boards.set(state, providers)
  return providers
}

interface Row {
  state: string
  credential_code: string
  full_name: string
  /** The fields that the boards require. */
  [field: string]: string
}

async function paramsOf({ state, credential_code, full_name, ...collected }: Row): Promise<CredentialParams> {
  if (!full_name) throw new Error('full_name is missing') // without a name, the lookup would verify no one
  const providers = await providersOf(state)
  const provider = providers.find((one) => one.credential_code === credential_code)
  if (provider === undefined) throw new Error(`${credential_code} is not offered in ${state}`)
  return { ...credentialParams(provider, collected), full_name }
}

const connection = connect()
const queue = new Queue<CredentialParams, LookupResult>(queueName, {
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
const report = (row: number, outcome: string) => console.log(`row ${row}\t${outcome}`)

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const jobs: { row: number; job: Job<CredentialParams, LookupResult> }[] = []
// A row that cannot be read does not stop the others. Its text is not printed, because it contains personal data.
const on_skip = (error?: CsvError): undefined => {
  problems += 1
  report(Number(error?.lines), `not queued: ${error?.code}`)
}
const lenient = { skip_empty_lines: true, skip_records_with_error: true, on_skip }
const parser = parse({ columns: true, bom: true, trim: true, info: true, ...lenient })
const rows: AsyncIterable<{ record: Row; info: { lines: number } }> = createReadStream(file).pipe(parser)
for await (const { record, info } of rows) {
  const row = info.lines
  try {
    const params = await paramsOf(record)
    jobs.push({ row, job: await queue.add('lookup', params, { jobId: nameOf(batch, params) }) })
  } catch (error) {
    if (isSdkError(error) && error.code !== 'invalid_params') throw error
    problems += 1
    report(row, `not queued: ${messageOf(error)}`)
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
      report(row, `failed: ${messageOf(error)}`)
    }
  }),
)
await Promise.all([queue.close(), events.close(), client.close()])
for (const redis of [connection, listening]) redis.disconnect()
if (problems > 0) process.exitCode = 1
