import { byCaller, byOperator, byWaiting, type ErrorCatalogEntry, errorCatalog } from '../contract/errors/catalog.ts'
import { emptyWalletStatus, meaningOfStatus } from '../contract/errors/codes.ts'
import { isRetryable } from './api-errors.ts'
import { ownCodes, ownReasons } from './catalog.ts'

/**
 * Returns the meaning and the advice for any `code` of an error: a code of the service, a code of this package, or
 * `http_` and the status of a response without a code. Also accepts the `reason` of an error of this package. If a
 * code of the service has the same name, the code is described. `statuses` is empty for codes and reasons of this
 * package.
 *
 * @returns `undefined` for a code that this version does not list
 * @see docs/reference/error-codes.md
 *
 * @example
 * if (isSdkError(error)) console.warn(error.code, describeErrorCode(error.code)?.meaning)
 */
export function describeErrorCode(code: string): ErrorCatalogEntry | undefined {
  if (isKeyOf(errorCatalog(), code)) return errorCatalog()[code]
  if (isKeyOf(ownCodes, code)) return ownCodes[code]
  if (isKeyOf(ownReasons, code)) return ownReasons[code]
  const status = Number(/^http_([1-5]\d\d)$/.exec(code)?.[1])
  if (Number.isNaN(status)) return undefined
  const meaning = meaningOfStatus(status)
  if (status === emptyWalletStatus) return { statuses: [status], meaning: String(meaning), advice: byOperator }
  const origin = `The response has status ${status} and no error code; a proxy may have sent it.`
  return {
    statuses: [status],
    meaning: meaning === undefined ? origin : `${meaning} ${origin}`,
    advice: isRetryable(status, code) ? byWaiting : byCaller,
  }
}

const isKeyOf = <T extends object>(entries: T, key: PropertyKey): key is keyof T => Object.hasOwn(entries, key)
