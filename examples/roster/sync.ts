import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { CsvError, parse } from 'csv-parse/sync'
import { type AppliedChange, isSdkError, type NewMember, OrgClient } from 'identity-service-sdk'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'max-removals': { type: 'string', default: '0' } },
})
const [file] = positionals
if (!file) throw new Error('usage: sync.ts FILE [--max-removals N]')
const org = new OrgClient() // reads SVC_ORG_BASE_URL, SVC_CLIENT_ID and SVC_CLIENT_SECRET

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort())
const { signal } = stop

function report({ change, member, skipped, kept, error }: AppliedChange) {
  const { email } = change.action === 'add' ? change.desired : change.member
  const outcome = error
    ? `failed: ${error.code} ${error.requestId ?? ''}`
    : kept
      ? 'kept, because a change before it failed'
      : (skipped ?? member?.status)
  console.log([change.action, email, outcome ?? 'deleted'].join('\t').trim())
  if (error) process.exitCode = 1
}

try {
  const rows: NewMember[] = parse(await readFile(file), {
    columns: true,
    bom: true,
    trim: true,
    skip_empty_lines: true,
  })
  const plan = await org.members.plan(rows, { maxRemovals: Number(values['max-removals']), signal })
  // A row that is wrong changes nothing, and its member is kept.
  for (const { email } of plan.conflicts) console.log(['conflict', email].join('\t'))
  if (plan.conflicts.length > 0) process.exitCode = 1
  for await (const applied of org.members.applyPlan(plan, { signal })) report(applied)
  console.log(`${plan.unchanged.length} unchanged`)
} catch (error) {
  // Prints no row of the file, because it contains personal data.
  if (error instanceof CsvError) console.error(`${error.code} in line ${error.lines}`)
  else console.error(isSdkError(error) ? JSON.stringify(error) : String(error))
  process.exitCode = 1
}
await org.close()
if (process.exitCode) console.error('some changes were not made: run it again, and it makes what is left')
