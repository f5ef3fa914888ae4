import type { Command } from 'commander'
import { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from '../../webhooks.ts'
import { subcommand, wholeNumber } from '../command.ts'
import { CommandFailure } from '../failure.ts'
import { readAll } from '../input.ts'
import { need, readSettings, type SettingsOptions } from '../settings.ts'
import { printable, type Shell } from '../shell.ts'

interface VerifyFlags extends SettingsOptions {
  readonly headerFile?: string
  readonly headers?: readonly string[]
  readonly body: string
  readonly at?: number
}

export function addVerify(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'verify',
    summary: 'say whether a delivery that was kept is valid, or why it is not',
    examples: [
      'webhook verify --header-file headers.txt --body body.json',
      "webhook verify --headers 'X-Svc-Timestamp: 1767225600' 'X-Svc-Signature: 0a1b…' 'X-Svc-Event-Id: evt_1' --body -",
    ],
    notes: `The body must be the very bytes that arrived: an editor that adds a line break spoils it.
A header file has lines "Name: value", or is a JSON object. Deliveries are valid for 5 minutes; for
an older one, say with --at when it arrived.`,
  })
    .option('--header-file <file>', 'the headers of the delivery; - is stdin')
    .option('--headers <lines...>', 'the same as arguments: "Name: value"')
    .requiredOption('--body <file>', 'the body as it arrived; - is stdin')
    .option('--at <seconds>', 'judge its age by this unix time', wholeNumber('--at', 0, 1e11))
    .action((flags: VerifyFlags) => verify(shell, flags))
}

async function verify(shell: Shell, flags: VerifyFlags): Promise<void> {
  const secret = need(await readSettings(shell, flags), 'SVC_WEBHOOK_SECRET')
  if ((flags.headerFile === undefined) === (flags.headers === undefined))
    throw new CommandFailure('give either --header-file or --headers')
  const headers =
    flags.headerFile === undefined
      ? fromLines(flags.headers ?? [])
      : fromFile((await readAll(shell, flags.headerFile)).toString('utf8'))
  const body = await readAll(shell, flags.body)
  const now = flags.at === undefined ? shell.around.now() : new Date(flags.at * 1000)
  const check = (bytes: Buffer) => verifyWebhook({ headers, body: bytes, secret, now: () => now })
  try {
    const { event_id: eventId, type, session_id: sessionId } = await check(body)
    if (shell.json)
      return shell.sayJson({
        valid: true,
        event_id: eventId,
        type,
        session_id: sessionId,
        bytes: body.length,
      })
    shell.say(
      `${shell.style('green', 'valid')}: ${printable(`${type}, event ${eventId}, session ${sessionId}`)}`,
    )
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    const { reason, message } = error
    const hint = reason === 'signature_mismatch' ? await hintFor(body, check) : undefined
    shell.exit = 'no'
    if (shell.json)
      return shell.sayJson({ valid: false, reason, message, hint: hint ?? null, bytes: body.length })
    shell.say(`${shell.style('red', 'not valid')}: ${reason}: ${printable(message)}`)
    if (hint !== undefined) shell.say(hint)
  }
}

/** What commonly happens to a body on its way into a file. */
async function hintFor(
  body: Buffer,
  check: (bytes: Buffer) => Promise<unknown>,
): Promise<string | undefined> {
  const spoiled: readonly (readonly [string, Buffer])[] = [
    [
      'a line break was added at its end',
      Buffer.from(body.toString('latin1').replace(/\r?\n$/, ''), 'latin1'),
    ],
    ['a byte order mark was put before it', body.subarray(body.indexOf('\ufeff') === 0 ? 3 : 0)],
    ['its line breaks were changed', Buffer.from(body.toString('latin1').replace(/\r\n/g, '\n'), 'latin1')],
  ]
  for (const [fault, mended] of spoiled) {
    if (mended.length === body.length) continue
    const fits = await check(mended).then(
      () => true,
      (error) => (error as WebhookVerificationError).reason !== 'signature_mismatch',
    )
    if (fits) return `the signature fits but for this: ${fault}`
  }
  return undefined
}

/** @throws {CommandFailure} */
function fromFile(text: string): WebhookHeaders {
  if (!text.trimStart().startsWith('{')) return fromLines(text.split(/\r?\n/))
  try {
    return JSON.parse(text) as WebhookHeaders
  } catch {
    throw new CommandFailure('the header file is not valid JSON')
  }
}

/** Repeats are kept: they are a reason to refuse. What is no header, such as the first line of a request, is not. */
function fromLines(lines: readonly string[]): WebhookHeaders {
  const headers: Record<string, string[]> = {}
  for (const line of lines) {
    const [, name, value] = /^\s*([\w-]+)\s*:\s*(.*?)\s*$/.exec(line) ?? []
    if (name === undefined || value === undefined) continue
    headers[name] = [...(headers[name] ?? []), value]
  }
  return headers
}
