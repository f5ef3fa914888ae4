import { OrgClient } from 'identity-service-sdk'

const org = new OrgClient() // reads SVC_ORG_BASE_URL, SVC_CLIENT_ID and SVC_CLIENT_SECRET

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort())
const { signal } = stop

const { members } = await org.members.list({}, { signal })
const waiting = members.filter(({ status }) => status === 'link_sent')
for await (const { outcome, id, error } of org.members.inviteAll(waiting, { signal })) {
  console.log([outcome, id, error ? JSON.stringify(error) : ''].join('\t'))
  if (error) process.exitCode = 1
}
await org.close()
