import type { Command } from 'commander'
import type { Emulator, EmulatorServer, RecordedRequest } from 'identity-service-sdk/emulator'
import { ConfigurationError } from 'identity-service-sdk/errors'
import { eventIdHeader } from '../contract/webhooks/headers.ts'
import { scenarios } from '../emulator/state/sessions/scenarios.ts'
import { subcommand, wholeNumberArgument } from './command.ts'
import { CommandFailure } from './failure.ts'
import { type Shell, styled } from './shell.ts'

interface EmulatorFlags {
  readonly port: number
  readonly host: string
  readonly seed?: string
  readonly publicUrl?: string
  readonly allowRemote?: boolean
  readonly scenarios?: boolean
}

export function addEmulator(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'emulator',
    summary: 'serve the whole service from memory, for development (nothing is verified)',
    examples: ['emulator --port 4010', 'emulator --seed demo --json'],
    notes: 'The emulator runs until Ctrl-C. Its state is then lost.',
    settings: false,
  })
    .option(
      '--port <number>',
      'port to listen on; 0 picks a free one',
      wholeNumberArgument('--port', 0, 65_535),
      0,
    )
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--seed <text>', 'the same seed produces the same ids in the same order')
    .option('--public-url <url>', 'URL that clients use, if it is behind a proxy')
    .option('--allow-remote', 'accept requests from other machines; for trusted networks only')
    .option('--scenarios', 'list the values of vendor_data with which a session ends by itself, and exit')
    .action((flags: EmulatorFlags) => (flags.scenarios ? printScenarios(shell) : serve(shell, flags)))
}

function printScenarios(shell: Shell): void {
  if (shell.json) shell.printJson(scenarios)
  else for (const [name, outcome] of Object.entries(scenarios)) shell.print(name.padEnd(22), outcome)
}

async function serve(
  shell: Shell,
  { port, host, seed, publicUrl, allowRemote }: EmulatorFlags,
): Promise<void> {
  const { createEmulator } = await import('identity-service-sdk/emulator')
  const emulator = createEmulator({
    seed,
    onRequest: (request) => printRequest(shell, request),
    webhooks: { deliver: deliverAndPrint(shell) },
  })
  const server = await emulator.listen({ port, host, publicUrl, allowRemote }).catch((error: unknown) => {
    throw withFlagNames(error)
  })
  try {
    await new Promise<void>((stop) => {
      shell.context.onInterrupt(stop)
      printStart(shell, emulator, server)
    })
  } finally {
    await server.close()
  }
}

/** Names the flags of the command instead of the options of `listen`. */
function withFlagNames(error: unknown): unknown {
  if (!(error instanceof ConfigurationError)) return error
  const { code = error.code } = Object(error.cause) as NodeJS.ErrnoException
  const named = error.message
    .replace('emulator.listen: ', '')
    .replace(/another (?=port|host)/, 'another --')
    .replace('Set allowRemote to true', 'Pass --allow-remote')
    .replaceAll('allowRemote', '--allow-remote')
    .replaceAll('publicUrl', '--public-url')
  return new CommandFailure(named, { code })
}

function printStart(shell: Shell, emulator: Emulator, { url, consoleUrl }: EmulatorServer): void {
  const { verification, org } = emulator.options
  const env = {
    SVC_BASE_URL: url,
    SVC_ORG_BASE_URL: url,
    SVC_API_KEY: verification.apiKey,
    SVC_CLIENT_ID: org.clientId,
    SVC_CLIENT_SECRET: org.clientSecret,
    SVC_WEBHOOK_SECRET: emulator.webhooks.secret,
    // Nothing of a real person is in its responses, so errors may show them.
    SVC_ERROR_DETAIL: 'full',
  }
  if (shell.json) {
    shell.printJson({ listening: url, console: consoleUrl, verified: false, env }, { singleLine: true })
    return
  }
  for (const line of warning) shell.log(styled('yellow', line))
  shell.print('listening on ', styled('bold', url))
  shell.print('console      ', styled('bold', consoleUrl))
  shell.print()
  for (const [name, value] of Object.entries(env)) shell.print(`export ${name}=${value}`)
  shell.print()
  shell.log('Set these variables in the terminal of your app. Press Ctrl-C to stop the emulator.')
}

const warning = [
  '******************************************************************',
  '*  EMULATOR: NOTHING IS VERIFIED. All results are made up.       *',
  '*  Never use them for decisions about real people.               *',
  '******************************************************************',
]

function printRequest(
  shell: Shell,
  { at, method, path, status, operation, requestId }: RecordedRequest,
): void {
  const shownPath = withoutPersonalData(path)
  if (shell.json) {
    const facts = { at, method, path: shownPath, status: status ?? null, operation: operation ?? null }
    shell.printJson({ ...facts, request_id: requestId, verified: false }, { singleLine: true })
    return
  }
  shell.print(
    `[nothing verified] ${at} ${method} ${shownPath} `,
    resultOf(status),
    ` ${operation ?? '-'} ${requestId}`,
  )
}

/** Sends deliveries, and prints each one, so that you see if your app rejects them or cannot be reached. */
const deliverAndPrint =
  (shell: Shell): typeof globalThis.fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    const print = (status?: number) => printDelivery(shell, request, status)
    try {
      const response = await globalThis.fetch(request)
      print(response.status)
      return response
    } catch (error) {
      print()
      throw error
    }
  }

function printDelivery(shell: Shell, { url, headers }: Request, status: number | undefined): void {
  const at = shell.context.now().toISOString()
  const { origin, pathname } = new URL(url)
  const webhook = origin + withoutPersonalData(pathname)
  const eventId = headers.get(eventIdHeader)
  if (shell.json) {
    const facts = { at, webhook, status: status ?? null, event_id: eventId }
    shell.printJson({ ...facts, verified: false }, { singleLine: true })
    return
  }
  shell.print(`[nothing verified] ${at} webhook ${webhook} `, resultOf(status), ` ${eventId ?? '-'}`)
}

const resultOf = (status: number | undefined) =>
  styled(status !== undefined && status < 400 ? 'green' : 'red', String(status ?? 'no response'))

/** A query may contain codes and references of people, and a path may contain a member's email. */
const withoutPersonalData = (path: string) =>
  path
    .replace(/\?.*$/s, '')
    .split('/')
    .map((part) => (/@|%40/.test(part) ? '[email]' : part))
    .join('/')
