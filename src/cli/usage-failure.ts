import type { Command, CommanderError } from 'commander'
import { nearestName } from '../options/nearest-name.ts'
import type { FailureReport } from './failure.ts'
import { programName } from './program-name.ts'

/** Describes an error of commander: what is wrong, the nearest name, and the command whose help lists the others. */
export function usageFailure(
  { code, message }: CommanderError,
  program: Command,
  args: readonly string[],
): FailureReport {
  const path: string[] = []
  let command = program
  for (const arg of args) {
    const next = command.commands.find((one) => one.name() === arg)
    if (next === undefined) break
    path.push(arg)
    command = next
  }
  const failure = { exit: 'usage', code: 'usage' } as const
  // Commander has printed the help already.
  if (code === 'commander.help') return { ...failure, message: missingCommand(command) }
  const details = [programName, ...path, '--help'].join(' ')
  return { ...failure, message: describe(message, command, args[path.length]), details }
}

const missingCommand = ({ commands }: Command) =>
  `A command is missing: ${commands.map((one) => one.name()).join(', ')}.`

/** Turns the text of commander into a sentence, without the value of `--name=value`, because it may be a secret. */
function describe(text: string, command: Command, next = ''): string {
  const [problem = '', suggestion] = text.replace(/^error: /, '').split(/\n\(|\)$/)
  const named = problem.replace(/'(--?[^'=]+)=[^']*'/g, "'$1'")
  const sentence = `${named.charAt(0).toUpperCase()}${named.slice(1).replace(/\.$/, '')}.`
  if (suggestion !== undefined) return `${sentence} ${suggestion}`
  if (problem.startsWith('unknown command')) return `${sentence} ${suggestCommands(next, command)}`
  // Commander compares the value too.
  const [, unknown] = /^unknown option '(--[^'=]+)=/.exec(problem) ?? []
  const names = command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []))
  if (unknown !== undefined && names.includes(unknown)) return `${unknown} takes no value.`
  const nearest = unknown === undefined ? undefined : nearestName(unknown, names)
  return nearest === undefined ? sentence : `${sentence} Did you mean ${nearest}?`
}

/**
 * Suggests commands for one that is neither known nor like another of its level: those below it, or all of the level.
 */
function suggestCommands(unknown: string, command: Command): string {
  const below = command.commands.flatMap(({ commands }) => commands)
  const name = nearestName(
    unknown,
    below.map((one) => one.name()),
  )
  const suggested = below.filter((one) => one.name() === name)
  const listed = (suggested.length > 0 ? suggested : command.commands).map(pathOf)
  return `Did you mean ${new Intl.ListFormat('en', { type: 'disjunction' }).format(listed)}?`
}

/** Returns the name of a command as it is typed after the program's name: `members export`. */
function pathOf(command: Command): string {
  const { parent } = command
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name()
}
