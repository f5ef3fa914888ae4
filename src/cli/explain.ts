import type { Command } from 'commander'
import { describeErrorCode, type ErrorCatalogEntry } from 'identity-service-sdk'
import { type ErrorAdvice, errorCatalog } from '../contract/errors/catalog.ts'
import { ownCodes, ownReasons, tokenReasons, webhookReasons } from '../errors/catalog.ts'
import { nearestName } from '../options/nearest-name.ts'
import { subcommand } from './command.ts'
import { programName } from './program-name.ts'
import { type Shell, styled } from './shell.ts'

const actors: Readonly<Record<ErrorAdvice['actor'], string>> = {
  caller: 'the developer or the operator of your app',
  end_user: 'the person who is being verified or is signing in',
  operator: 'the operator of the account, the developer console or the service',
  wait: 'no one: wait, then retry',
}

const retryAdvice: Readonly<Record<ErrorAdvice['retry'], string>> = {
  never: 'no: the request acts on something that is decided, used up or gone; start over',
  after_change: 'only after the input or the state has changed',
  later:
    'yes, unchanged, after a pause; a billable check with the same Idempotency-Key, another write only if it was not executed',
}

/** Your app receives webhooks and does not send them, so that other advice applies than for a call. */
const webhookActors: Readonly<Record<ErrorAdvice['actor'], string>> = {
  caller: 'the developer or the operator of your app: fix the endpoint, its clock, or what passes requests on to it',
  end_user: 'no one',
  operator: 'the operator of the service',
  wait: 'no one: the connection broke',
}

const webhookRetry =
  'not by your app: resend the delivery from the developer console when the cause is fixed, or read the decision of the session'

export function addExplain(parent: Command, shell: Shell): void {
  subcommand(parent, {
    name: 'explain',
    summary: 'explain a code or reason of an error: its meaning, who can act, and whether to retry',
    examples: ['explain already_decided', 'explain outcome_unknown', 'explain body_not_raw --json'],
    notes: `The code may be one of the service or of this package, the reason of an error of this package, or
an HTTP status. The command sends no requests. "who acts" and "retry" are advice of this package: the
service contract does not state them.`,
    settings: false,
  })
    .argument('<code>', 'the `code` or the `reason` of an error, or an HTTP status')
    .action((text: string) => explain(shell, text))
}

function explain(shell: Shell, text: string): void {
  const code = text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/^(?=[1-5]\d\d$)/, 'http_')
  const entry = describeErrorCode(code)
  if (entry === undefined) {
    reportUnknown(shell, text.trim(), nearestName(code, knownCodes))
    return
  }
  const { statuses, meaning, advice } = entry
  const isOfService = hasKey(errorCatalog(), code)
  // The name of a reason may be a code of the service too, with another meaning.
  const asReason = isOfService && hasKey(ownReasons, code) ? ownReasons[code] : undefined
  if (shell.json) {
    const reason = asReason && { as_reason: { meaning: asReason.meaning, ...asReason.advice } }
    shell.printJson({ code, known: true, statuses, meaning, ...advice, ...reason })
    return
  }
  const noStatus = isOfService ? 'not documented by the service' : 'none: the error is one of this package'
  shell.print(styled('bold', code))
  shell.print(`  status    ${statuses.length > 0 ? statuses.join(', ') : noStatus}`)
  printMeaning(shell, code, entry)
  if (asReason === undefined) return
  shell.print(styled('bold', `${code}, as the reason of an error of this package`))
  printMeaning(shell, code, asReason)
}

function printMeaning(
  shell: Shell,
  code: string,
  { meaning, advice }: Pick<ErrorCatalogEntry, 'meaning' | 'advice'>,
): void {
  shell.print(`  meaning   ${meaning}`)
  const isWebhook = code === 'webhook_refused' || (hasKey(webhookReasons, code) && !hasKey(tokenReasons, code))
  shell.print(`  who acts  ${(isWebhook ? webhookActors : actors)[advice.actor]}`)
  const retry = isWebhook ? webhookRetry : retryAdvice[advice.retry]
  shell.print(`  retry     ${retry}`)
  if (code === 'signature_mismatch') shell.print(`  webhook   ${webhookRetry}`)
}

const hasKey = <T extends object>(entries: T, key: PropertyKey): key is keyof T => Object.hasOwn(entries, key)

const knownCodes = [errorCatalog(), ownCodes, ownReasons].flatMap((codes) => Object.keys(codes))

function reportUnknown(shell: Shell, text: string, suggestion: string | undefined): void {
  shell.exit = 'negative'
  // Anything else may be a secret that was pasted by mistake.
  const code = /^[a-z_]{1,64}$/.test(text) ? text : null
  if (shell.json) {
    shell.printJson({ code, known: false, suggestions: suggestion === undefined ? [] : [suggestion] })
    return
  }
  const next =
    suggestion !== undefined
      ? `Did you mean ${suggestion}?`
      : `Pass the code or the reason of an error, as in: ${programName} explain already_decided. docs/reference/error-codes.md in the package lists all codes.`
  shell.log(
    styled('red', 'error'),
    `: Neither the service nor this package has ${code === null ? 'this code' : `the code ${code}`}. ${next}`,
  )
}
