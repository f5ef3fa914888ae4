import { randomUUID } from 'node:crypto'
import { type Command, Option } from 'commander'
import {
  testSessionPrefix,
  type WebhookEventType,
  webhookEventStatuses,
} from '../../contract/webhooks/events.ts'
import { webhookToleranceSeconds } from '../../contract/webhooks/headers.ts'
import { parseBaseUrl } from '../../http/params/base-url.ts'
import { type SignedWebhook, signWebhook } from '../../webhooks.ts'
import { subcommand } from '../command.ts'
import { CommandFailure } from '../failure.ts'
import { need, readSettings, type SettingsOptions } from '../settings.ts'
import { printable, type Shell } from '../shell.ts'

interface SendFlags extends SettingsOptions {
  readonly to: string
  readonly type: WebhookEventType
  readonly sessionId?: string
  readonly vendorData?: string
  readonly duplicate?: boolean
  readonly badSignature?: boolean
  readonly late?: boolean
}

/** What one POST was answered with. */
interface Answer {
  readonly status: number
  readonly body: string
  readonly asItShould: boolean
}

/** An endpoint that is silent for longer has not answered, in milliseconds. */
const patienceMs = 30_000

/** More of an answer is no help to whoever reads it. In characters. */
const shownLength = 2_000

export function addSend(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'send',
    summary: 'post an event, signed with SVC_WEBHOOK_SECRET, to an endpoint of yours',
    examples: [
      'webhook send --to http://localhost:3000/webhooks --type verification.approved',
      'webhook send --to https://app.example/hooks --type verification.declined --session-id sess_1 --duplicate',
      'webhook send --to http://localhost:3000/webhooks --type verification.expired --bad-signature',
    ],
    notes: `It should answer 2xx, and 400 to a bad signature or a late event.
Without --session-id it is a test event as the console sends them: "test": true, and a session id
that begins ${testSessionPrefix}. With one, it is what a real event looks like, and your code will believe it.`,
  })
    .requiredOption('--to <url>', 'https, or http on this machine')
    .addOption(
      new Option('--type <type>', 'what it announces')
        .choices(Object.keys(webhookEventStatuses))
        .makeOptionMandatory(),
    )
    .option('--session-id <id>', 'the session that it is about')
    .option('--vendor-data <text>', 'your own reference')
    .addOption(new Option('--duplicate', 'send the same event twice').conflicts(['badSignature', 'late']))
    .addOption(new Option('--bad-signature', 'sign it with a secret that is not yours').conflicts('late'))
    .option('--late', `sign it ${webhookToleranceSeconds + lateBySeconds} seconds ago`)
    .action((flags: SendFlags) => send(shell, flags))
}

/** Beyond the tolerance, so that a slow network or a clock slightly off do not matter. */
const lateBySeconds = 60

async function send(shell: Shell, flags: SendFlags): Promise<void> {
  const url = endpointOf(flags.to)
  const secret = need(await readSettings(shell, flags), 'SVC_WEBHOOK_SECRET')
  const now = shell.around.now()
  const delivery = await signWebhook({
    event: eventOf(flags, now),
    secret: flags.badSignature ? `not ${secret}` : secret,
    timestamp: Math.floor(now.getTime() / 1000) - (flags.late ? webhookToleranceSeconds + lateBySeconds : 0),
  })
  const headers = { ...delivery.headers, 'content-type': 'application/json' }
  const refusedOnPurpose = flags.badSignature || flags.late
  const expected = refusedOnPurpose ? '400' : '2xx'
  const isRight = (status: number) => (refusedOnPurpose ? status === 400 : status >= 200 && status < 300)

  const answers: Answer[] = []
  for (let left = flags.duplicate ? 2 : 1; left > 0; left--)
    answers.push(await post(shell, url, { headers, body: delivery.body }, isRight))
  const asItShould = answers.every((answer) => answer.asItShould)
  if (!asItShould) shell.exit = 'no'
  if (shell.json)
    return shell.sayJson({ as_it_should: asItShould, expected, headers, body: delivery.body, answers })
  shell.say(shell.style('bold', `POST ${url}`))
  for (const [name, value] of Object.entries(headers)) shell.say(`  ${name}: ${value}`)
  for (const { status, body, asItShould: right } of answers) {
    const verdict = right ? shell.style('green', 'as it should') : shell.style('red', `expected ${expected}`)
    shell.say(`${status} ${verdict}`)
    if (body !== '') shell.say(`  ${printable(body)}`)
  }
}

/** @throws {CommandFailure} */
function endpointOf(text: string): string {
  try {
    // Who reads such a delivery on its way can send it again.
    parseBaseUrl(new URL('/', text), '--to')
    return new URL(text).href
  } catch {
    throw new CommandFailure('--to must be an https URL, or http to this machine')
  }
}

function eventOf({ type, sessionId, vendorData }: SendFlags, now: Date): object {
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
  isRight: (status: number) => boolean,
): Promise<Answer> {
  const { fetch = globalThis.fetch } = shell.around
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
    })
    const { status } = response
    return { status, body: (await response.text()).slice(0, shownLength), asItShould: isRight(status) }
  } catch (error) {
    const { cause, message } = error as Error
    const reason = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : message
    throw new CommandFailure(`the endpoint gave no answer: ${reason}`, {
      exit: 'service',
      code: 'no_answer',
    })
  }
}
