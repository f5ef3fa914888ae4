import type { Command } from 'commander'
import { type ErrorActor, type ErrorAdvice, errorCatalog, type KnownErrorCode } from '../errors.ts'
import { subcommand } from './command.ts'
import { printable, type Shell } from './shell.ts'

const actors: Readonly<Record<ErrorActor, string>> = {
  caller: 'the developer: send something else, or call at another moment',
  end_user: 'the person who is being verified or signs in',
  operator: 'whoever runs the account, the developer console or the service',
  wait: 'nobody: time solves it',
}

const repeats: Readonly<Record<ErrorAdvice['repeat'], string>> = {
  never: 'no: what it acts on is decided, used up or gone; start anew',
  after_change: 'only once the input or the state of things is different',
  later: 'yes, unchanged, after a pause; a billable check with the same Idempotency-Key',
}

export function addExplain(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'explain',
    summary: 'say what an error code means, who can do something about it, and whether to try again',
    examples: ['explain already_decided', 'explain rate_limited --json'],
    notes: 'Nothing is asked over the network. Who can act is our own reading of the contract.',
    settings: false,
  })
    .argument('<code>', 'such as already_decided')
    .action((text: string) => explain(shell, text))
}

function explain(shell: Shell, text: string): void {
  const code = text.trim().toLowerCase()
  if (!Object.hasOwn(errorCatalog, code)) {
    const suggestions = closest(code)
    shell.exit = 'no'
    if (shell.json) {
      shell.sayJson({ code, known: false, suggestions })
      return
    }
    shell.note(`${shell.styleError('red', 'error:')} the contract names no code ${printable(code)}`)
    if (suggestions.length > 0) shell.note(`did you mean ${suggestions.join(', ')}?`)
    return
  }
  const { statuses, meaning, advice } = errorCatalog[code as KnownErrorCode]
  if (shell.json) {
    shell.sayJson({ code, known: true, statuses, meaning, ...advice })
    return
  }
  shell.say(shell.style('bold', code))
  shell.say(`  status   ${statuses.length > 0 ? statuses.join(', ') : 'the contract gives none'}`)
  shell.say(`  meaning  ${meaning}`)
  shell.say(`  who      ${actors[advice.actor]}`)
  shell.say(`  again    ${repeats[advice.repeat]}`)
}

/** At most five codes that somebody may have meant, the likeliest first. */
function closest(code: string): string[] {
  const reach = Math.max(2, Math.floor(code.length / 3))
  return Object.keys(errorCatalog)
    .map((known) => {
      const contains = code.length >= 3 && (known.includes(code) || code.includes(known))
      return { known, distance: contains ? 1 : editDistance(code.slice(0, 64), known) }
    })
    .filter(({ distance }) => distance <= reach)
    .sort((a, b) => a.distance - b.distance || a.known.localeCompare(b.known))
    .slice(0, 5)
    .map(({ known }) => known)
}

/** Letters to add, to drop or to change until one is the other. */
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
