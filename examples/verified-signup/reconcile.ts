// Finds the outcomes whose webhooks were lost. Run it every 15 minutes, for example with cron.
import { VerificationClient } from 'identity-service-sdk'
import { postgresStore } from 'identity-service-sdk/stores/postgres'
import { openPool } from './database.ts'
import { createVerifications } from './verifications.ts'

const { OLDER_THAN_MS = '900000' } = process.env

const client = new VerificationClient()
const pool = openPool({ max: 5 })
const verifications = createVerifications({ client, pool, store: postgresStore(pool) })

const work = verifications.reconcile({ olderThanMs: Number(OLDER_THAN_MS) })
for await (const item of work) {
  if (item.outcome === 'changed') console.log(item.change.subject, item.change.to)
  else console.error(item.subject, String(item.error))
}
const { visited, changed, failed } = await work
console.log(`${visited} visited, ${changed} changed, ${failed} failed`)
if (failed > 0) process.exitCode = 1
await Promise.all([client.close(), pool.end()])
