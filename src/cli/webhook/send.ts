import { randomUUID } from 'node:crypto'
import { type Command, Option } from 'commander'
import { type SignedWebhook, signWebhook } from 'identity-service-sdk/webhooks'
import { testSessionPrefix, type WebhookEventType, webhookEventStatuses } from '../../contract/webhooks/events.ts'
import { webhookToleranceSeconds } from '../../contract/webhooks/headers.ts'
import { parseBaseUrl } from '../../options/settings.ts'
import { readStart } from '../../runtime/bytes.ts'
import { subcommand } from '../command.ts'
import { readSettings, requireSetting, type SettingsOptions } from '../env-settings.ts'
import { CommandFailure, explainCommand, reasonOf } from '../failure.ts'
import { proxiedFetch } from '../proxied-fetch.ts'
import { type Shell, styled } from '../shell.ts'

interface SendFlags extends SettingsOptions {
  readonly to: string
  readonly type: WebhookEventType
  readonly sessionId?: string
  readonly vendorData?: string
  readonly duplicate?: boolean
  readonly badSignature?: boolean
  readonly late?: boolean
}

interface EndpointResponse {
  readonly status: number
  readonly body: string
  readonly isExpected: boolean
}

/** Maximum time for a response of the endpoint, in milliseconds. */
const responseTimeoutMs = 30_000

/** The rest of a response body is not read. */
const maxBodyBytes = 2_000

/** How far `--late` goes beyond the tolerance, so that network delays and small clock differences do not matter. */
const lateBySeconds = 60

export function addSend(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'send',
    summary: 'send an event, signed with SVC_WEBHOOK_SECRET, to your endpoint',
    examples: [
      'webhook send --to http://localhost:3000/webhooks --type verification.approved',
      'webhook send --to https://app.example/hooks --type verification.declined --session-id sess_1 --duplicate',
      'webhook send --to http://localhost:3000/webhooks --type verification.expired --bad-signature',
    ],
    notes: `The expected response is 2xx, or 400 with --bad-signature and --late.
With --json, the result is { ok, expected, headers, body, responses: [{ status, body, ok }] }: what was
sent, and whether each response was the expected one.
Without --session-id, the event is a test event like those of the console: it has "test": true, and
its session id starts with ${testSessionPrefix}. With --session-id, it looks like a real event, and your code
treats it as one.`,
  })
    .requiredOption('--to <url>', 'URL of the endpoint: https, or http on this machine')
    .addOption(
      new Option('--type <type>', 'type of the event').choices(Object.keys(webhookEventStatuses)).makeOptionMandatory(),
    )
    .option('--session-id <id>', 'session of the event')
    .option('--vendor-data <text>', 'your own reference')
    .addOption(new Option('--duplicate', 'send the same event twice').conflicts(['badSignature', 'late']))
    .addOption(new Option('--bad-signature', 'sign with a wrong secret').conflicts('late'))
    .option('--late', `use a timestamp from ${webhookToleranceSeconds + lateBySeconds} seconds ago`)
    .action((flags: SendFlags) => send(shell, flags))
}

async function send(shell: Shell, flags: SendFlags): Promise<void> {
  const url = parseEndpoint(flags.to)
  const secret = requireSetting(await readSettings(shell, flags), 'SVC_WEBHOOK_SECRET')
  const now = shell.context.now()
  const { headers, body } = await signWebhook({
    event: createEvent(flags, now),
    secret: flags.badSignature ? `not ${secret}` : secret,
    timestamp: Math.floor(now.getTime() / 1000) - (flags.late ? webhookToleranceSeconds + lateBySeconds : 0),
  })
  const mustBeRejected = flags.badSignature || flags.late
  const expected = mustBeRejected ? '400' : '2xx'
  const isExpectedStatus = (status: number) => (mustBeRejected ? status === 400 : status >= 200 && status < 300)

  const responses: EndpointResponse[] = []
  for (let left = flags.duplicate ? 2 : 1; left > 0; left--)
    responses.push(await post(shell, url, { headers, body }, isExpectedStatus))
  const allExpected = responses.every(({ isExpected }) => isExpected)
  if (!allExpected) shell.exit = 'negative'
  if (shell.json)
    return shell.printJson({
      ok: allExpected,
      expected,
      headers,
      body,
      responses: responses.map(({ status, body, isExpected }) => ({ status, body, ok: isExpected })),
    })
  shell.print(styled('bold', `POST ${url}`))
  for (const [name, value] of Object.entries(headers)) shell.print(`  ${name}: ${value}`)
  for (const { status, body, isExpected } of responses) {
    const result = isExpected ? styled('green', 'as expected') : styled('red', `expected ${expected}`)
    shell.print(`${status} `, result)
    if (body !== '') shell.print(`  ${body}`)
    if (isExpected) continue
    const details = explainCommand(reasonIn(body) ?? '')
    if (details !== undefined) shell.logDetails(details)
    else shell.log(`Your app, not the service, responded with ${status}. Look at the log of your app.`)
  }
}

/** The reason in the response of a handler of this package. */
function reasonIn(body: string): string | undefined {
  try {
    const { reason } = Object(JSON.parse(body)) as { reason?: unknown }
    return typeof reason === 'string' && explainCommand(reason) !== undefined ? reason : undefined
  } catch {
    return undefined
  }
}

/** @throws {CommandFailure} the URL is neither https nor loopback, or contains credentials */
function parseEndpoint(text: string): string {
  try {
    // Anyone who could read the delivery on its way could send it again.
    parseBaseUrl('--to', new URL('/', text))
    return new URL(text).href
  } catch {
    throw new CommandFailure(
      '--to must start with https://, or with http:// and a loopback host such as localhost, and must not contain credentials.',
    )
  }
}

function createEvent({ type, sessionId, vendorData }: SendFlags, now: Date): object {
  const status = webhookEventStatuses[type]
  const isTest = sessionId === undefined || sessionId.startsWith(testSessionPrefix)
  const at = now.toISOString()
  const isDecided = status === 'APPROVED' || status === 'DECLINED'
  return {
    event_id: `evt_${randomUUID()}`,
    type,
    session_id: sessionId ?? `${testSessionPrefix}${randomUUID()}`,
    status,
    vendor_data: vendorData ?? null,
    decision: isDecided ? { status, decision: status, decided_at: at, checks: [] } : null,
    occurred_at: at,
    ...(isTest ? { test: true } : {}),
  }
}

async function post(
  shell: Shell,
  url: string,
  { headers, body }: SignedWebhook<string>,
  isExpectedStatus: (status: number) => boolean,
): Promise<EndpointResponse> {
  try {
    const response = await proxiedFetch(shell.context, url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(responseTimeoutMs),
    })
    const { status } = response
    return { status, body: await readStart(response.body, maxBodyBytes), isExpected: isExpectedStatus(status) }
  } catch (error) {
    throw new CommandFailure(
      `${new URL(url).origin} did not respond: ${reasonOf(error)}. Check the URL of --to, and that the server is running.`,
      { exit: 'service', code: 'connection_failed' },
    )
  }
}
