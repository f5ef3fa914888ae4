import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import { type AnySdkError, isSdkError, OrgClient } from 'identity-service-sdk'
import { addPeople } from './roster.ts'

const [file] = process.argv.slice(2)
if (!file) throw new Error('usage: import.ts FILE')
const org = new OrgClient() // reads SVC_ORG_BASE_URL, SVC_CLIENT_ID and SVC_CLIENT_SECRET

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort())

const counts = { added: 0, reactivated: 0, skipped: 0, failed: 0 }
function report(email: string, outcome: keyof typeof counts, detail: string) {
  counts[outcome] += 1
  console.log([outcome, email, detail].join('\t'))
}

/** Leaves out invalid rows, because one of them would make the service reject its whole call of up to 500. */
async function* people(rows: AsyncIterable<Record<string, string>>) {
  for await (const { email, first_name, last_name } of rows) {
    if (email && /^\S+@\S+$/.test(email)) yield { email, first_name, last_name }
    else report(email ?? '', 'failed', 'no email address')
  }
}

async function add(rows: AsyncIterable<Record<string, string>>) {
  for await (const added of addPeople(org, people(rows), { signal: stop.signal })) {
    const { email, outcome } = added
    if (added.outcome === 'failed') report(email, outcome, describe(added.error))
    else report(email, outcome, added.outcome === 'skipped' ? added.reason : added.member.status)
  }
}

function describe(error: AnySdkError): string {
  return [error.code, error.requestId].filter(Boolean).join(' ')
}

try {
  const rows = parse({ columns: true, bom: true, trim: true, skip_empty_lines: true })
  await pipeline(createReadStream(file), rows, add)
} catch (error) {
  // Prints no row of the file, because it contains personal data.
  console.error(isSdkError(error) ? JSON.stringify(error) : String(error))
  counts.failed += 1
}
await org.close()
console.log(counts)
if (counts.failed > 0) {
  console.error('some people were not added: run it again, and everyone on the roster is skipped')
  process.exitCode = 1
}
