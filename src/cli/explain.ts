import type { Command } from 'commander'
import { type ErrorActor, type ErrorAdvice, errorCatalog, type KnownErrorCode } from '../errors.ts'
import { subcommand } from './command.ts'
import { printable, type Shell } from './shell.ts'

const actors: Readonly<Record<ErrorActor, string>> = {
  caller: 'the developer: change the request, or send it at another time',
  end_user: 'the person who is being verified or is signing in',
  operator: 'the operator of the account, the developer console or the service',
  wait: 'no one: wait, then retry',
}

const retryAdvice: Readonly<Record<ErrorAdvice['retry'], string>> = {
  never: 'no: the request acts on something that is decided, used up or gone; start over',
  after_change: 'only after the input or the state has changed',
  later: 'yes, unchanged, after a pause; a billable check with the same Idempotency-Key',
}

export function addExplain(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'explain',
    summary: 'explain an error code: its meaning, who can act on it, and whether to retry',
    examples: ['explain already_decided', 'explain rate_limited --json'],
    notes: `The command sends no requests. "who acts" and "retry" are advice of this package: the service
contract does not state them.`,
    settings: false,
  })
    .argument('<code>', 'for example already_decided')
    .action((text: string) => explain(shell, text))
}

function explain(shell: Shell, text: string): void {
  const code = text.trim().toLowerCase()
  if (!Object.hasOwn(errorCatalog, code)) {
    const suggestions = closestCodes(code)
    shell.exit = 'negative'
    if (shell.json) {
      shell.printJson({ code, known: false, suggestions })
      return
    }
    const next =
      suggestions.length > 0 ? `Did you mean ${suggestions.join(', ')}?` : 'Check the spelling of the code.'
    shell.log(
      `${shell.styleError('red', 'error')}: The service contract does not list the code ${printable(code)}. ${next}`,
    )
    return
  }
  const { statuses, meaning, advice } = errorCatalog[code as KnownErrorCode]
  if (shell.json) {
    shell.printJson({ code, known: true, statuses, meaning, ...advice })
    return
  }
  shell.print(shell.style('bold', code))
  shell.print(`  status    ${statuses.length > 0 ? statuses.join(', ') : 'not documented by the service'}`)
  shell.print(`  meaning   ${meaning}`)
  shell.print(`  who acts  ${actors[advice.actor]}`)
  shell.print(`  retry     ${retryAdvice[advice.retry]}`)
}

/** Returns at most five similar codes, the most similar first. */
function closestCodes(code: string): string[] {
  const maxDistance = Math.max(2, Math.floor(code.length / 3))
  return Object.keys(errorCatalog)
    .map((known) => {
      const contains = code.length >= 3 && (known.includes(code) || code.includes(known))
      return { known, distance: contains ? 1 : editDistance(code.slice(0, 64), known) }
    })
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance || a.known.localeCompare(b.known))
    .slice(0, 5)
    .map(({ known }) => known)
}

/** The Levenshtein distance. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j++) {
      const change = (row[j] ?? 0) + (letter === to[j] ? 0 : 1)
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
