import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import { isSdkError, OrgClient } from 'identity-service-sdk'
import { addPeople } from './roster.js'

const [file] = process.argv.slice(2)
const org = new OrgClient() // reads SVC_ORG_BASE_URL, SVC_CLIENT_ID and SVC_CLIENT_SECRET

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort())

const counts = { added: 0, reactivated: 0, skipped: 0, failed: 0 }
function report(email, outcome, detail = '') {
  counts[outcome] += 1
  console.log([outcome, email, detail].join('\t'))
}

/** Leaves out invalid rows, because one of them would make the service reject its whole call of up to 500. */
async function* people(rows) {
  for await (const { email, first_name, last_name } of rows) {
    if (/^\S+@\S+$/.test(email ?? '')) yield { email, first_name, last_name }
    else report(email, 'failed', 'no email address')
  }
}

async function add(rows) {
  for await (const { email, outcome, member, reason, error } of addPeople(org, people(rows), {
    signal: stop.signal,
  })) {
    report(
      email,
      outcome,
      member?.status ?? reason ?? [error.code, error.requestId].filter(Boolean).join(' '),
    )
  }
}

try {
  const rows = parse({ columns: true, bom: true, trim: true, skip_empty_lines: true })
  await pipeline(createReadStream(file), rows, add)
} catch (error) {
  // Prints no row of the file, because it contains personal data.
  console.error(isSdkError(error) ? JSON.stringify(error) : error.message)
  counts.failed += 1
}
await org.close()
console.log(counts)
if (counts.failed > 0) {
  console.error('some people were not added: run it again, and everyone on the roster is skipped')
  process.exitCode = 1
}
