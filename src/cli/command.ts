import { type Command, Option } from 'commander'
import { CommandFailure } from './failure.ts'
import { programName } from './program-name.ts'
import type { Shell } from './shell.ts'

export interface Subcommand {
  readonly name: string
  readonly summary: string
  /** Command lines, without the program's name. */
  readonly examples: readonly [string, ...string[]]
  /** Help text that follows the examples. */
  readonly notes?: string
  /** Whether the command reads settings. @default true */
  readonly settings?: boolean
}

/** Adds a command with the options and the help sections that all commands have. */
export function subcommand(parent: Command, { name, summary, examples, notes, settings = true }: Subcommand) {
  const command = parent.command(name).summary(summary).description(summary)
  command.option('--json', 'print results and errors as JSON')
  if (settings)
    command
      .option('--env-from <file>', 'read settings from a file with lines NAME=value; - reads stdin')
      .addOption(new Option('--secret [value]').hideHelp().argParser(rejectSecretArgument))
  const parts = [
    `\nExamples:\n${examples.map((line) => `  $ ${programName} ${line}`).join('\n')}`,
    ...(notes === undefined ? [] : [`\n${notes}`]),
    `\nFor ${settings ? 'settings and ' : ''}exit statuses, run: ${programName} --help`,
  ]
  return command.addHelpText('after', parts.join('\n'))
}

/** Every process of the machine can read arguments, and the shell's history keeps them. */
function rejectSecretArgument(): never {
  throw new CommandFailure(
    'Secrets are not accepted as arguments, because other processes can read those. ' +
      'Set SVC_WEBHOOK_SECRET in the environment, or in a file that you pass with --env-from.',
  )
}

/** Makes commander write to the shell's streams and throw instead of ending the process. Subcommands inherit this. */
export function attachToShell(command: Command, shell: Shell): Command {
  const { stdout, stderr } = shell.context
  return command.exitOverride().configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void (shell.json || stderr.write(text)),
    // The error is thrown too, and printed like every other.
    outputError: () => {},
    getOutHasColors: () => shell.hasColors(stdout),
    getErrHasColors: () => shell.hasColors(stderr),
    getOutHelpWidth: () => 100,
    getErrHelpWidth: () => 100,
  })
}

/** Returns a parser of whole numbers from `min` to `max`. */
export const wholeNumberArgument = (option: string, min: number, max: number) => (text: string) => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new CommandFailure(`${option} must be a whole number from ${min} to ${max}, not "${text.slice(0, 40)}".`)
}
