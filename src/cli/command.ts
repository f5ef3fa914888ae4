import { type Command, Option } from 'commander'
import { exitCodeTable } from './exit-codes.ts'
import { CommandFailure } from './failure.ts'
import type { Shell } from './shell.ts'

interface Subcommand {
  readonly name: string
  readonly summary: string
  /** One line each, as they are typed. */
  readonly examples: readonly [string, ...string[]]
  /** What should be known before it is used. */
  readonly notes?: string
  /** Whether it reads settings. @default true */
  readonly settings?: boolean
}

const settingsNote = `Settings come from the environment: SVC_BASE_URL, SVC_ORG_BASE_URL, SVC_CLIENT_ID and the
secrets SVC_API_KEY, SVC_CLIENT_SECRET, SVC_WEBHOOK_SECRET; or from --env-from.`

/** Adds a command with what all of them have. */
export function subcommand(parent: Command, { name, summary, examples, notes, settings = true }: Subcommand) {
  const command = parent.command(name).summary(summary).description(summary)
  command.option('--json', 'results and errors as JSON')
  if (settings)
    command
      .option('--env-from <file>', 'read settings from lines NAME=value; - is stdin')
      .addOption(new Option('--secret [value]').hideHelp().argParser(refuseSecret))
  const parts = [
    `\nExamples:\n${examples.map((line) => `  $ identity-service ${line}`).join('\n')}`,
    ...(notes === undefined ? [] : [`\n${notes}`]),
    ...(settings ? [`\n${settingsNote}`] : []),
    `\nExit status:\n${exitCodeTable}`,
  ]
  return command.addHelpText('after', parts.join('\n'))
}

/** Arguments are seen by every process of the machine, and kept by the shell. */
function refuseSecret(): never {
  throw new CommandFailure('a secret is no argument: set SVC_WEBHOOK_SECRET, or use --env-from FILE')
}

/** Where commander's words go, and how it ends: by throwing. New commands inherit it. */
export function prepared(command: Command, shell: Shell): Command {
  const { stdout, stderr } = shell.around
  return command.exitOverride().configureOutput({
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void (shell.json || stderr.write(text)),
    // An option may have been written as --name=value, and the value may be a secret.
    outputError: (text, write) => write(text.replace(/'(--?[^'=]+)=[^']*'/g, "'$1'")),
    getOutHasColors: () => shell.hasColours(stdout),
    getErrHasColors: () => shell.hasColours(stderr),
    getOutHelpWidth: () => 100,
    getErrHelpWidth: () => 100,
  })
}

/** Reads a whole number from a range. */
export const wholeNumber = (name: string, least: number, most: number) => (text: string) => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw new CommandFailure(`${name} must be a whole number from ${least} to ${most}`)
}
