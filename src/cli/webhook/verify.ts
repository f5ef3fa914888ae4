import type { Command } from 'commander'
import { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from 'identity-service-sdk/webhooks'
import { subcommand, wholeNumberArgument } from '../command.ts'
import { readSettings, requireSetting, type SettingsOptions } from '../env-settings.ts'
import { CommandFailure, explainCommand } from '../failure.ts'
import { readInput } from '../files/read-input.ts'
import { type Shell, styled } from '../shell.ts'

interface VerifyFlags extends SettingsOptions {
  readonly headerFile?: string
  readonly headers?: readonly string[]
  readonly body: string
  readonly at?: number
}

export function addVerify(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'verify',
    summary: 'check whether a saved webhook delivery is valid, and if not, why',
    examples: [
      'webhook verify --header-file headers.txt --body body.json',
      "webhook verify --headers 'X-Svc-Timestamp: 1767225600' 'X-Svc-Signature: 0a1b…' 'X-Svc-Event-Id: evt_1' --body -",
    ],
    notes: `The body must be the exact bytes that were received: an editor that adds a line break makes it
invalid. A header file contains lines "Name: value", or a JSON object. A delivery is valid for 5
minutes. To check an older one, pass the time at which it was received with --at.`,
  })
    .option('--header-file <file>', 'file with the headers of the delivery; - reads stdin')
    .option('--headers <lines...>', 'the headers as arguments: "Name: value"')
    .requiredOption('--body <file>', 'file with the body as it was received; - reads stdin')
    .option('--at <seconds>', 'Unix time at which it was received (default: now)', wholeNumberArgument('--at', 0, 1e11))
    .action((flags: VerifyFlags) => verify(shell, flags))
}

async function verify(shell: Shell, flags: VerifyFlags): Promise<void> {
  const secret = requireSetting(await readSettings(shell, flags), 'SVC_WEBHOOK_SECRET')
  if ((flags.headerFile === undefined) === (flags.headers === undefined))
    throw new CommandFailure('Pass the headers with either --header-file or --headers.')
  const headers =
    flags.headerFile === undefined
      ? parseHeaderLines(flags.headers ?? [])
      : parseHeaderFile(
          (await readInput(shell, flags.headerFile, { option: '--header-file', maxMiB: 1 })).toString('utf8'),
        )
  const body = await readInput(shell, flags.body, { option: '--body', maxMiB: 8 })
  const now = flags.at === undefined ? shell.context.now() : new Date(flags.at * 1000)
  const verifyBody = (bytes: Buffer) => verifyWebhook({ headers, body: bytes, secret, now: () => now })
  try {
    const { event_id: eventId, type, session_id: sessionId } = await verifyBody(body)
    if (shell.json)
      return shell.printJson({
        valid: true,
        event_id: eventId,
        type,
        session_id: sessionId,
        bytes: body.length,
      })
    shell.print(styled('green', 'valid'), `: ${type}, event ${eventId}, session ${sessionId}`)
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error
    const { reason, message } = error
    const hint = reason === 'signature_mismatch' ? await hintFor(body, verifyBody) : undefined
    shell.exit = 'negative'
    if (shell.json) return shell.printJson({ valid: false, reason, message, hint: hint ?? null, bytes: body.length })
    shell.print(styled('red', 'invalid'), `: ${reason}: ${message}`)
    if (hint !== undefined) shell.print(hint)
    const details = explainCommand(reason)
    if (details !== undefined) shell.logDetails(details)
  }
}

/** Undoes common changes that happen when a body is saved to a file. Returns the one that explains the mismatch. */
async function hintFor(body: Buffer, verifyBody: (bytes: Buffer) => Promise<unknown>): Promise<string | undefined> {
  const candidates: readonly (readonly [change: string, original: Buffer])[] = [
    ['a line break was added at the end', Buffer.from(body.toString('latin1').replace(/\r?\n$/, ''), 'latin1')],
    ['a byte order mark was added at the start', body.subarray(body.indexOf('\ufeff') === 0 ? 3 : 0)],
    ['line breaks were changed from LF to CRLF', Buffer.from(body.toString('latin1').replace(/\r\n/g, '\n'), 'latin1')],
  ]
  for (const [change, original] of candidates) {
    if (original.length === body.length) continue
    const matches = await verifyBody(original).then(
      () => true,
      (error) => (error as WebhookVerificationError).reason !== 'signature_mismatch',
    )
    if (matches) return `The body was changed after it was received: ${change}. Undo this to verify it.`
  }
  return undefined
}

/** @throws {CommandFailure} the text starts as JSON but is not valid JSON */
function parseHeaderFile(text: string): WebhookHeaders {
  if (!text.trimStart().startsWith('{')) return parseHeaderLines(text.split(/\r?\n/))
  try {
    return JSON.parse(text) as WebhookHeaders
  } catch {
    throw new CommandFailure('The file of --header-file is not valid JSON. Fix it, or use lines "Name: value".')
  }
}

/**
 * Reads lines "Name: value", and ignores other lines, such as the request line. Both values of a header that occurs
 * twice are kept, because verification rejects it.
 */
function parseHeaderLines(lines: readonly string[]): WebhookHeaders {
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon)).trim()
    if (!/^[\w-]+$/.test(name)) continue
    const value = line.slice(colon + 1).trim()
    const earlier = headers.get(name)
    if (earlier) earlier.push(value)
    else headers.set(name, [value])
  }
  return Object.fromEntries(headers)
}
