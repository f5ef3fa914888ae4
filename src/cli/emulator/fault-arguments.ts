import { malformations } from '../../emulator/model/faults/malformed-response.ts'
import { CommandFailure } from '../failure.ts'

/**
 * Reads a part that has a name, such as `times=3` or `times=Infinity`. Returns `undefined` for a part without one.
 *
 * @throws {CommandFailure} the name is unknown, or the value is not a whole number
 */
function namedPart(part: string): object | undefined {
  const [, name, value] = /^(times|delayMs|ageSeconds)=(\d{1,9}|Infinity)$/.exec(part) ?? []
  if (name === undefined && part.includes('='))
    throw new CommandFailure(`"${part}" must be times, delayMs or ageSeconds, and a whole number, such as times=2.`)
  return name === undefined ? undefined : { [name]: value === 'Infinity' ? value : Number(value) }
}

/** Reads a part of the value of `--fault` after the operation. */
function effectOf(part: string): object {
  if (/^\d{3}$/.test(part)) return { status: Number(part) }
  if (part === 'reset') return { reset: true }
  if (part === 'before' || part === 'after') return { when: part }
  return malformations.some((one) => one === part) ? { malformed: part } : { code: part }
}

/**
 * Reads the value of `--fault`, such as `checks.age:503:times=3`. A `*` stands for every operation. What the values of
 * the fields may be is checked when the fault is added.
 */
export function parseFault(text: string): object {
  const [match = '', ...parts] = text.split(':')
  if (match === '' || parts.length === 0 || parts.includes(''))
    throw new CommandFailure(
      `--fault must have the form OPERATION:EFFECT, such as checks.age:503 or checks.age:reset:times=2, not "${text}".`,
    )
  const effects = parts.map((part) => namedPart(part) ?? effectOf(part))
  return joined('--fault', text, match === '*' ? {} : { match }, ...effects)
}

/** Reads the value of `--webhook-fault`, such as `duplicate`, or `late:verification.approved:times=2`. */
export function parseWebhookFault(text: string): object {
  const [kind, ...parts] = text.split(':')
  return joined('--webhook-fault', text, { kind }, ...parts.map((part) => namedPart(part) ?? { type: part }))
}

/** Reads the value of `--check`, such as `face_match:failed`. */
export function parseCheck(text: string): object {
  const [type, outcome, ...parts] = text.split(':')
  const options = parts.map(namedPart)
  if (outcome === undefined || options.includes(undefined))
    throw new CommandFailure(
      `--check must have the form TYPE:STATUS, such as face_match:failed or liveness:failed:times=1, not "${text}".`,
    )
  return joined('--check', text, { type, outcome }, ...options.map(Object))
}

/** Joins parts. Two values for one thing are a mistake, and only one of them would count. */
function joined(option: string, text: string, ...parts: readonly object[]): object {
  const names = parts.flatMap((part) => Object.keys(part))
  const repeated = names.find((name, i) => names.indexOf(name) !== i)
  if (repeated !== undefined)
    throw new CommandFailure(`${option}: "${text}" has two values for ${repeated}. Leave one of them out.`)
  return Object.assign({}, ...parts)
}
