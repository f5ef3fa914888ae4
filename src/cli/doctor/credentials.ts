import { isSdkError } from '../../errors.ts'
import { VerificationClient } from '../../verification.ts'
import { organization } from '../members/organization.ts'
import type { Settings } from '../settings.ts'
import type { Shell } from '../shell.ts'
import { type Finding, fail, ok } from './finding.ts'
import { patienceMs } from './host.ts'

const quick = { maxRetries: 0, deadlineMs: patienceMs }

/** Whether the service takes the credentials, asked by calls that cost nothing and change nothing. */
export async function* checkAccess(shell: Shell, settings: Settings): AsyncGenerator<Finding> {
  const { SVC_BASE_URL: baseUrl, SVC_API_KEY: apiKey } = settings
  if (baseUrl !== undefined && apiKey !== undefined)
    yield await attempt('api key', async () => {
      const client = new VerificationClient({ baseUrl, apiKey, fetch: shell.around.fetch })
      // Its answer is not looked at: it is about people.
      await client.sessions.list({ limit: 1 }, quick)
      const states = await client.credentials.listStates(quick)
      return `taken; licences can be checked in ${states.length} jurisdictions`
    })
  const { SVC_ORG_BASE_URL, SVC_CLIENT_ID, SVC_CLIENT_SECRET } = settings
  if (SVC_ORG_BASE_URL && SVC_CLIENT_ID && SVC_CLIENT_SECRET)
    yield await attempt('organization', async () => {
      const { members, organization: owner } = await organization(shell, settings).members.list(quick)
      return `taken; ${owner.name} has ${members.length} members`
    })
}

async function attempt(check: string, work: () => Promise<string>): Promise<Finding> {
  try {
    return ok(check, await work())
  } catch (error) {
    if (!isSdkError(error)) throw error
    return fail(check, `${error.code}: ${error.message}`, adviceFor(error.code))
  }
}

function adviceFor(code: string): string {
  if (code === 'invalid_api_key') return 'copy SVC_API_KEY anew; test and production have keys of their own'
  if (code === 'invalid_client')
    return 'copy SVC_CLIENT_ID and SVC_CLIENT_SECRET anew, of an app that is active'
  return `identity-service explain ${code}`
}
