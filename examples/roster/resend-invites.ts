import { OrgClient } from 'identity-service-sdk'
import { resendInvites } from './roster.ts'

const org = new OrgClient() // reads SVC_ORG_BASE_URL, SVC_CLIENT_ID and SVC_CLIENT_SECRET

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort())

for await (const { outcome, id, error } of resendInvites(org, { signal: stop.signal })) {
  console.log([outcome, id, error ? JSON.stringify(error) : ''].join('\t'))
  if (error) process.exitCode = 1
}
await org.close()
