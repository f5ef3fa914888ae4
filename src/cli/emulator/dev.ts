import type { Command } from 'commander'
import { parseJson } from '../../runtime/bytes.ts'
import { subcommand } from '../command.ts'
import { CommandFailure } from '../failure.ts'
import { readInput } from '../files/read-input.ts'
import { programName } from '../program-name.ts'
import type { Shell } from '../shell.ts'
import { withEmulator } from './emulator.ts'

/** The scripts that start an app while it is developed, in the order in which they are looked for. */
const scripts = ['dev', 'start:dev', 'start']

export function addDev(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'dev',
    summary: 'run your app with an emulator of the service (nothing is verified)',
    examples: ['dev', 'dev -- npm run dev', 'dev -- npx tsx watch app.ts'],
    notes: `Starts the emulator, runs the command with its settings, and ends with the status of the command. Without a
command, it runs the first of these scripts that package.json has: ${scripts.join(', ')}.

For the options of the emulator, use: ${programName} emulator --config FILE exec -- COMMAND`,
    settings: false,
  })
    .argument('[command...]')
    .action(async (command: readonly string[]) =>
      withEmulator(shell, command.length > 0 ? command : await findScript(shell)),
    )
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
