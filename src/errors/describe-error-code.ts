import { type ErrorAdvice, type ErrorCatalogEntry, errorCatalog } from '../contract/errors/catalog.ts'
import type { SdkErrorCode } from './any-sdk-error.ts'

const byCaller: ErrorAdvice = { actor: 'caller', retry: 'after_change' }
const byPerson: ErrorAdvice = { actor: 'end_user', retry: 'after_change' }
const byOperator: ErrorAdvice = { actor: 'operator', retry: 'later' }
const byWaiting: ErrorAdvice = { actor: 'wait', retry: 'later' }

const own: Readonly<Record<SdkErrorCode, Omit<ErrorCatalogEntry, 'statuses'>>> = {
  aborted: {
    meaning: 'The `signal` of the caller aborted the call.',
    advice: byCaller,
  },
  callback_refused: {
    meaning: 'The callback of a sign-in was rejected: see `reason`.',
    advice: byPerson,
  },
  check_not_passed: {
    meaning: 'A check did not pass: see `failed`.',
    advice: byPerson,
  },
  configuration: {
    meaning: 'An option or a setting is invalid.',
    advice: byCaller,
  },
  connection_failed: {
    meaning: 'No response was received: see `cause` and `mayHaveArrived`.',
    advice: byWaiting,
  },
  emulator_misused: {
    meaning: 'A control of the emulator was called with something that is not possible.',
    advice: byCaller,
  },
  invalid_params: {
    meaning: 'A param or an option of a call is invalid: see `issues`.',
    advice: byCaller,
  },
  invalid_response: {
    meaning: 'A response is not as documented; a proxy may have sent it: see `snippet`.',
    advice: byOperator,
  },
  outcome_unknown: {
    meaning: 'A billable request may have been executed: retry with the `idempotencyKey` of the error.',
    advice: byWaiting,
  },
  session_ended: {
    meaning: 'The session ended without a decision.',
    advice: { actor: 'caller', retry: 'never' },
  },
  spend_limit: {
    meaning: 'The `spendLimit` of the client stopped a billable call before it was sent: see `retryAfterMs`.',
    advice: byWaiting,
  },
  store_failed: {
    meaning: 'A store failed or could not be reached.',
    advice: byOperator,
  },
  timeout: {
    meaning: 'An attempt took longer than `timeoutMs`, or the call longer than `deadlineMs`.',
    advice: byWaiting,
  },
  token_manager: {
    meaning: 'There is no usable access token, so the person must sign in again: see `reason`.',
    advice: byPerson,
  },
  token_refused: {
    meaning: 'A token was rejected: see `reason`.',
    advice: byPerson,
  },
  wait_timeout: {
    meaning: 'There was no decision within the time limit, and the session continues.',
    advice: byWaiting,
  },
  webhook_refused: {
    meaning: 'A webhook delivery was rejected: see `reason`.',
    advice: byCaller,
  },
}

/**
 * Returns the meaning and the advice for any `code` of an error: a code of the service, a code of this package, or
 * `http_` and the status of a response without a code. `statuses` is empty for the codes of this package.
 *
 * @returns `undefined` for a code that this version does not list
 * @see service contract, section 7
 *
 * @example
 * if (isSdkError(error)) console.warn(error.code, describeErrorCode(error.code)?.meaning)
 */
export function describeErrorCode(code: string): ErrorCatalogEntry | undefined {
  if (isKeyOf(errorCatalog, code)) return errorCatalog[code]
  if (isKeyOf(own, code)) return { statuses: [], ...own[code] }
  const status = Number(/^http_([1-5]\d\d)$/.exec(code)?.[1])
  if (Number.isNaN(status)) return undefined
  const mayPass = status >= 500 || status === 408 || status === 429
  return {
    statuses: [status],
    meaning: `The response has status ${status} and no error code; a proxy may have sent it.`,
    advice: mayPass ? byWaiting : byCaller,
  }
}

const isKeyOf = <T extends object>(entries: T, key: PropertyKey): key is keyof T =>
  Object.hasOwn(entries, key)
