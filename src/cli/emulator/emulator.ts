import { type Command, Option } from 'commander'
import { environmentFormats } from '../../emulator/controls/environment.ts'
import { scenarios } from '../../emulator/model/sessions/scenarios.ts'
import { type Subcommand, subcommand, wholeNumberArgument } from '../command.ts'
import { type Shell, styled } from '../shell.ts'
import { parseCheck, parseFault, parseWebhookFault } from './fault-arguments.ts'
import { deliverAndReport, printDelivery, printRequest } from './log.ts'
import { type EmulatorFlags, type RunningEmulator, startEmulator, usualPort } from './running.ts'

interface ServeFlags extends EmulatorFlags {
  readonly scenarios?: boolean
}

const notes = `The emulator runs until Ctrl-C. Without --state, its state is then lost. Without --port, it listens on port
${usualPort}, or on the next free one.

--fault OPERATION:EFFECT has one effect or more, separated by colons: a status (503), a code
(validation_error), reset, delayMs=2000, not_json, truncated, empty, wrong_shape. "after" affects only the
response. times=3 and times=Infinity set how often it applies; by default, once. A * is any operation.

--webhook-fault KIND is duplicate, late, bad_signature, out_of_order or lost, with :times=3 and with the type
of the events, such as :verification.approved. --check TYPE:STATUS applies to all checks of that type, or with
:times=1 to the next one.

--config reads options of createEmulator, faults, webhookFaults and checks.`

export function addEmulator(parent: Command, shell: Shell): void {
  emulatorCommand(parent, {
    name: 'emulator',
    summary: 'serve the whole service from memory, for development (nothing is verified)',
    examples: [
      'emulator',
      'emulator --state state.json --write-env .env.local',
      "emulator --fault 'sessions.create:503:times=2' --check 'face_match:failed'",
      'emulator --redirect-uri http://localhost:3000/callback --callback http://localhost:3000/webhooks',
    ],
    notes,
  })
    .option('--scenarios', 'list the values of vendor_data with which a session ends by itself, and exit')
    .action((flags: ServeFlags) => (flags.scenarios ? printScenarios(shell) : serve(shell, flags)))
}

/** Adds a command that starts an emulator. */
export const emulatorCommand = (parent: Command, described: Omit<Subcommand, 'settings'>): Command =>
  subcommand(parent, { ...described, settings: false })
    .option('--config <file>', 'read options from a JSON file; - reads stdin')
    .option('--state <file>', 'keep the state in a file, which only you can read, between runs')
    .option('--write-env <file>', 'write the settings into a .env file; its other lines stay')
    .option(
      '--port <number>',
      `port to listen on, ${usualPort} by default; 0 picks a free one`,
      wholeNumberArgument('--port', 0, 65_535),
    )
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--seed <text>', 'the same seed produces the same ids in the same order')
    .option('--public-url <url>', 'URL that clients use, if it is behind a proxy')
    .option('--allow-remote', 'accept requests from other machines; for trusted networks only')
    .option('--allow-remote-controls', 'let them use the console and the control API too, as in a container')
    .addOption(repeatable('--allowed-host <name>', 'accept requests to this host name too', (name) => name))
    .addOption(repeatable('--redirect-uri <uri>', 'accept this redirect URI of sign-ins only', (uri) => uri))
    .addOption(repeatable('--callback <url>', 'accept this callback of sessions only', (url) => url))
    .addOption(repeatable('--fault <fault>', 'add a fault of the next requests', parseFault))
    .addOption(repeatable('--webhook-fault <fault>', 'add a fault of the next webhooks', parseWebhookFault))
    .addOption(repeatable('--check <outcome>', 'set the outcome of standalone checks', parseCheck))

/** An option that can be given several times. */
const repeatable = <Value>(flags: string, description: string, parse: (text: string) => Value) =>
  new Option(flags, `${description}; repeatable`)
    .argParser((text, earlier: readonly Value[]) => [...earlier, parse(text)])
    .default([], 'none')

function printScenarios(shell: Shell): void {
  if (shell.json) shell.printJson(scenarios)
  else for (const [name, outcome] of Object.entries(scenarios)) shell.print(name.padEnd(22), outcome)
}

async function serve(shell: Shell, flags: ServeFlags): Promise<void> {
  const running = await startEmulator(shell, flags, {
    onRequest: (request) => printRequest(shell, request),
    deliver: deliverAndReport(shell, printDelivery),
  })
  try {
    await new Promise<void>((stop) => {
      shell.context.onInterrupt(() => stop())
      printStart(shell, running, flags)
    })
  } finally {
    await running.stop()
  }
}

function printStart(shell: Shell, { server, settings }: RunningEmulator, { writeEnv }: ServeFlags): void {
  const { url, consoleUrl } = server
  if (shell.json) {
    shell.printJson({ listening: url, console: consoleUrl, verified: false, env: settings }, { singleLine: true })
    return
  }
  for (const line of warning) shell.log(styled('yellow', line))
  shell.print('listening on ', styled('bold', url))
  shell.print('console      ', styled('bold', consoleUrl))
  shell.print()
  for (const [name, value] of Object.entries(settings)) shell.print(environmentFormats.shell(name, value))
  shell.print()
  const next =
    writeEnv === undefined
      ? 'Set these variables in the terminal of your app.'
      : `These settings are in ${writeEnv}. Start your app with them, as in: node --env-file=${writeEnv} app.js`
  shell.log(next)
  shell.log('Press Ctrl-C to stop the emulator.')
}

const warning = [
  '******************************************************************',
  '*  EMULATOR: NOTHING IS VERIFIED. All results are made up.       *',
  '*  Never use them for decisions about real people.               *',
  '******************************************************************',
]
