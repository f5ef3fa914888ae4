import type { Command } from 'commander'
import type { Emulator, EmulatorServer, RecordedRequest } from '../emulator.ts'
import { subcommand, wholeNumber } from './command.ts'
import { CommandFailure } from './failure.ts'
import { printable, type Shell } from './shell.ts'

interface EmulatorFlags {
  readonly port: number
  readonly host: string
  readonly seed?: string
  readonly publicUrl?: string
  readonly allowRemote?: boolean
}

export function addEmulator(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'emulator',
    summary: 'serve the whole service from memory, for development; nobody is verified',
    examples: ['emulator --port 4010', 'emulator --seed demo --json'],
    notes: 'It runs until Ctrl-C, and forgets everything then.',
    settings: false,
  })
    .option('--port <number>', '0: a free one', wholeNumber('--port', 0, 65_535), 0)
    .option('--host <host>', 'where it listens', '127.0.0.1')
    .option('--seed <text>', 'the same seed gives the same ids in the same order')
    .option('--public-url <url>', 'where it is reached, if a proxy stands before it')
    .option('--allow-remote', 'let other machines in; it guards nothing')
    .action((flags: EmulatorFlags) => serve(shell, flags))
}

async function serve(
  shell: Shell,
  { port, host, seed, publicUrl, allowRemote }: EmulatorFlags,
): Promise<void> {
  const { createEmulator } = await import('../emulator.ts')
  const emulator = createEmulator({ seed, onRequest: (request) => tellOne(shell, request) })
  const server = await emulator.listen({ port, host, publicUrl, allowRemote }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new CommandFailure(`port ${port} of ${host} is taken: choose another with --port`, {
      code: 'EADDRINUSE',
    })
  })
  try {
    await new Promise<void>((ended) => {
      shell.around.onInterrupt(ended)
      announce(shell, emulator, server)
    })
  } finally {
    await server.close()
  }
}

function announce(shell: Shell, emulator: Emulator, { url, consoleUrl }: EmulatorServer): void {
  const { verification, org } = emulator.options
  const env = {
    SVC_BASE_URL: url,
    SVC_ORG_BASE_URL: url,
    SVC_API_KEY: verification.apiKey,
    SVC_CLIENT_ID: org.clientId,
    SVC_CLIENT_SECRET: org.clientSecret,
    SVC_WEBHOOK_SECRET: emulator.webhooks.secret,
  }
  if (shell.json) {
    shell.sayJson({ listening: url, console: consoleUrl, verified: false, env }, { lines: true })
    return
  }
  for (const line of banner) shell.note(shell.styleError('yellow', line))
  shell.say(`listening on ${shell.style('bold', url)}`)
  shell.say(`console      ${shell.style('bold', consoleUrl)}\n`)
  for (const [name, value] of Object.entries(env)) shell.say(`export ${name}=${value}`)
  shell.say()
}

const banner = [
  '******************************************************************',
  '*  EMULATOR: NOTHING IS VERIFIED. Every result is made up.       *',
  '*  Never let it decide about real people.                        *',
  '******************************************************************',
]

function tellOne(shell: Shell, { at, method, path, status, operation, requestId }: RecordedRequest): void {
  const shown = withoutPeople(path)
  if (shell.json) {
    const facts = { at, method, path: shown, status: status ?? null, operation: operation ?? null }
    shell.sayJson({ ...facts, request_id: requestId, verified: false }, { lines: true })
    return
  }
  const result = status === undefined ? 'no answer' : String(status)
  const styled = shell.style(status !== undefined && status < 400 ? 'green' : 'red', result)
  shell.say(`[nothing verified] ${at} ${method} ${shown} ${styled} ${operation ?? '-'} ${requestId}`)
}

/** A query may hold codes and references of people, and a member may be named by email. */
const withoutPeople = (path: string) =>
  printable(path.replace(/\?.*$/s, '').replace(/[^/]*(?:@|%40)[^/]*/gi, '[email]'))
