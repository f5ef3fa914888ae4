import type { Command } from 'commander'
import { parseJson } from '../../runtime/bytes.ts'
import { CommandFailure } from '../failure.ts'
import { readInput } from '../files/read-input.ts'
import { programName } from '../program-name.ts'
import type { Shell } from '../shell.ts'
import { emulatorCommand } from './emulator.ts'
import { deliverAndReport, logFailedDelivery } from './log.ts'
import { runCommand } from './run-command.ts'
import { type EmulatorFlags, startEmulator } from './running.ts'

/** The scripts that start an app while it is developed, in the order in which they are looked for. */
const scripts = ['dev', 'start:dev', 'start']

export function addDev(parent: Command, shell: Shell): void {
  emulatorCommand(parent, {
    name: 'dev',
    summary: 'run your app with an emulator of the service (nothing is verified)',
    examples: [
      'dev',
      'dev -- npx tsx watch app.ts',
      "dev --fault 'sessions.create:503:times=2' -- npm run dev",
      'dev --port 0 --config emulator.json -- npm run e2e',
    ],
    notes: `Starts the emulator, runs the command with its settings, and ends with the status of the command, which has the
whole of stdin, stdout and stderr. Without a command, it runs the first of these scripts that package.json
has: ${scripts.join(', ')}.

For the forms of --fault, --webhook-fault, --check and --config, run: ${programName} emulator --help`,
  })
    .argument('[command...]')
    .action(async (command: readonly string[], flags: EmulatorFlags) =>
      runWithEmulator(shell, command.length > 0 ? command : await findScript(shell), flags),
    )
}

/** Runs a command with the settings of an emulator, and stops the emulator when it ends. */
async function runWithEmulator(shell: Shell, command: readonly string[], flags: EmulatorFlags): Promise<void> {
  const running = await startEmulator(shell, flags, { deliver: deliverAndReport(shell, logFailedDelivery) })
  try {
    const { url, consoleUrl } = running.server
    shell.log(`[nothing verified] emulator listening on ${url}, console at ${consoleUrl}`)
    shell.commandStatus = await runCommand(shell, command, running.settings)
  } finally {
    await running.stop()
  }
}

/** Returns the command that runs the script of the project in the current folder. */
async function findScript(shell: Shell): Promise<readonly string[]> {
  const text = (await readInput(shell, 'package.json', { option: 'dev', maxMiB: 1 })).toString()
  const own = Object((parseJson(text) as { scripts?: unknown } | undefined)?.scripts) as object
  const script = scripts.find((name) => Object.hasOwn(own, name))
  if (script !== undefined) return [packageManager(shell), 'run', script]
  throw new CommandFailure(
    `package.json has no script ${scripts.join(', ')}. Pass the command: ${programName} dev -- node app.js`,
  )
}

/**
 * The package manager that runs this program says so in the environment: `pnpm/10.2.0 npm/? node/v24.1.0 linux x64`.
 */
const packageManager = ({ context: { env } }: Shell): string =>
  /^(?:pnpm|yarn|bun)(?=\/)/.exec(env.npm_config_user_agent ?? '')?.[0] ?? 'npm'
