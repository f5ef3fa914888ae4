import { isSdkError, type Logger, type MemberList, type Organization, VerificationClient } from 'identity-service-sdk'
import { errorDetailOf, type Settings } from '../env-settings.ts'
import { explainCommand } from '../failure.ts'
import { createOrgClient } from '../members/org-client.ts'
import { withSettingNames } from '../setting-names.ts'
import type { Shell } from '../shell.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import { requestTimeoutMs } from './host.ts'

const requestOptions = { maxRetries: 0, deadlineMs: requestTimeoutMs }

/** Checks whether the service accepts the credentials. It reads a session, the jurisdictions and the roster. */
export async function* checkCredentialsOnline(shell: Shell, settings: Settings): AsyncGenerator<Finding> {
  const { SVC_BASE_URL: baseUrl, SVC_API_KEY: apiKey } = settings
  const { logger, differences } = differenceLog()
  if (baseUrl !== undefined && apiKey !== undefined)
    yield await checkCalls('api key', 'SVC_BASE_URL', async () => {
      const options = { baseUrl, apiKey, fetch: shell.context.fetch, logger, errorDetail: errorDetailOf(settings) }
      const client = new VerificationClient(options)
      // Sessions are personal data, so the response is not used.
      await client.sessions.list({ limit: 1 }, requestOptions)
      let states = 0
      for await (const _ of client.credentials.listStates({}, requestOptions)) states += 1
      return `accepted; licenses can be checked in ${states} jurisdictions`
    })
  const { SVC_ORG_BASE_URL, SVC_CLIENT_ID, SVC_CLIENT_SECRET } = settings
  if (SVC_ORG_BASE_URL && SVC_CLIENT_ID && SVC_CLIENT_SECRET)
    yield await checkCalls('organization', 'SVC_ORG_BASE_URL', async () => {
      const org = createOrgClient(shell, settings, logger)
      const list: unknown = await org.members.list({}, requestOptions)
      const { members, organization } = Object(list) as Partial<MemberList>
      const count = Array.isArray(members) ? members.length : 'an unknown number of'
      // The contract shows no type of the organization.
      const { name = 'the organization' } = Object(organization) as Partial<Organization>
      return `accepted; ${name} has ${count} members`
    })
  for (const [operation, fields] of differences)
    yield warn(
      'service contract',
      `the response to ${operation} is not as documented: ${fields.join(', ')}`,
      'update the package, and report it to the operator of the service',
    )
}

/** Records which fields of the responses are not as documented. */
function differenceLog() {
  const differences = new Map<string, readonly string[]>()
  const ignore = () => {}
  const logger: Logger = {
    debug: ignore,
    info: ignore,
    warn(_, { operation, fields } = {}) {
      if (Array.isArray(fields)) differences.set(String(operation), fields)
    },
    error: ignore,
  }
  return { logger, differences }
}

async function checkCalls(
  check: string,
  baseUrl: 'SVC_BASE_URL' | 'SVC_ORG_BASE_URL',
  sendCalls: () => Promise<string>,
): Promise<Finding> {
  try {
    return ok(check, await sendCalls())
  } catch (error) {
    if (!isSdkError(error)) throw error
    return fail(check, withSettingNames(withoutAdvice(error.message), baseUrl), adviceFor(error.code))
  }
}

/** The doctor gives its own advice, and is running already. */
function withoutAdvice(message: string): string {
  const advice = ' run: npx identity-service-sdk doctor.'
  const end = message.indexOf(advice)
  const start = message.lastIndexOf(' Check ', end)
  return end < 0 || start < 0 ? message : message.slice(0, start) + message.slice(end + advice.length)
}

function adviceFor(code: string): string {
  if (code === 'invalid_api_key')
    return 'copy SVC_API_KEY again from the developer console; test and production have different keys'
  if (code === 'invalid_client')
    return 'copy SVC_CLIENT_ID and SVC_CLIENT_SECRET again, and check that the app is active'
  const explain = explainCommand(code)
  if (explain !== undefined) return `for details, run: ${explain}`
  return 'check the URL and the other findings, then run the doctor again'
}
