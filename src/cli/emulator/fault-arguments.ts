import { checkStatuses, checkTypes } from '../../contract/verification/check-data.ts'
import { webhookEventTypes } from '../../contract/webhooks/events.ts'
import { malformations } from '../../emulator/state/faults/malformed-response.ts'
import { deliveryFaultKinds } from '../../emulator/state/webhooks/delivery-faults.ts'
import { nearestName } from '../../runtime/nearest-name.ts'
import { CommandFailure } from '../failure.ts'
import type { ConfiguredCheck, ConfiguredDeliveryFault, ConfiguredFault } from './config.ts'

type Times = Pick<ConfiguredFault, 'times'>

/** Reads `times=3` or `times=Infinity`. Returns `undefined` for anything else. */
function timesOf(part: string): Times | undefined {
  const [, times] = /^times=(\d{1,9}|Infinity)$/.exec(part) ?? []
  return times === undefined ? undefined : { times: times === 'Infinity' ? times : Number(times) }
}

/** Reads a part of the value of `--fault` after the operation. */
function effectOf(part: string): ConfiguredFault {
  const [, delayMs] = /^delayMs=(\d{1,9})$/.exec(part) ?? []
  if (delayMs !== undefined) return { delayMs: Number(delayMs) }
  if (/^\d{3}$/.test(part)) return { status: Number(part) }
  if (part === 'reset') return { reset: true }
  if (part === 'before' || part === 'after') return { when: part }
  const kind = malformations.find((one) => one === part)
  return kind === undefined ? { code: part } : { malformed: kind }
}

/** Reads the value of `--fault`, such as `checks.age:503:times=3`. A `*` stands for every operation. */
export function parseFault(text: string): ConfiguredFault {
  const [match = '', ...parts] = text.split(':')
  if (match === '' || parts.length === 0 || parts.includes(''))
    throw new CommandFailure(
      `--fault must have the form OPERATION:EFFECT, such as checks.age:503 or checks.age:reset:times=2, not "${text}".`,
    )
  const effects = parts.map((part) => timesOf(part) ?? effectOf(part))
  rejectRepeated('--fault', text, effects)
  return Object.assign(match === '*' ? {} : { match }, ...effects)
}

/** Reads the value of `--webhook-fault`, such as `duplicate`, or `late:verification.approved:times=2`. */
export function parseWebhookFault(text: string): ConfiguredDeliveryFault {
  const [kind = '', ...parts] = text.split(':')
  const others = parts.map(
    (part) =>
      timesOf(part) ??
      ageOf(part) ?? { type: listed('--webhook-fault', 'type of event', part, webhookEventTypes) },
  )
  return Object.assign(
    { kind: listed('--webhook-fault', 'kind of fault', kind, deliveryFaultKinds) },
    ...others,
  )
}

function ageOf(part: string): Pick<ConfiguredDeliveryFault, 'ageSeconds'> | undefined {
  const [, ageSeconds] = /^ageSeconds=(\d{1,9})$/.exec(part) ?? []
  return ageSeconds === undefined ? undefined : { ageSeconds: Number(ageSeconds) }
}

/** Reads the value of `--check`, such as `face_match:failed`. */
export function parseCheck(text: string): ConfiguredCheck {
  const [type = '', outcome = '', ...parts] = text.split(':')
  const [times] = parts.map(timesOf)
  if (parts.length > 1) rejectCheck(text)
  return {
    type: listed('--check', 'type of check', type, checkTypes),
    outcome: listed('--check', 'status', outcome, checkStatuses),
    ...(parts.length > 0 && (times ?? rejectCheck(text))),
  }
}

/** Two values for one thing are a mistake, and only one of them would count. */
function rejectRepeated(option: string, text: string, parts: readonly object[]): void {
  const names = parts.flatMap((part) => Object.keys(part))
  const repeated = names.find((name, i) => names.indexOf(name) !== i)
  if (repeated !== undefined)
    throw new CommandFailure(`${option}: "${text}" has two values for ${repeated}. Leave one of them out.`)
}

function rejectCheck(text: string): never {
  throw new CommandFailure(
    `--check must have the form TYPE:STATUS, such as face_match:failed or liveness:failed:times=1, not "${text}".`,
  )
}

function listed<Name extends string>(
  option: string,
  what: string,
  given: string,
  names: readonly Name[],
): Name {
  const found = names.find((name) => name === given)
  if (found !== undefined) return found
  const nearest = nearestName(given, names)
  const advice = nearest === undefined ? `They are ${names.join(', ')}.` : `Did you mean ${nearest}?`
  throw new CommandFailure(`${option}: "${given}" is not a ${what}. ${advice}`)
}
