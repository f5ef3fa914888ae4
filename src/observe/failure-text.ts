import { type ErrorDetail, factsOfThrown, showsAll } from '../errors/error-detail.ts'
import { hasBrand } from '../errors/sdk-error.ts'

interface ErrorLike {
  readonly message?: unknown
  readonly stack?: unknown
  readonly cause?: unknown
}

/** What records and events show of an error: its class, its code, and the reason of one of this package. */
export function failureFacts(thrown: unknown): { name: string; code?: string; reason?: string } {
  if (!hasBrand(thrown)) return factsOfThrown(thrown)
  const { name, code, reason } = thrown as { name: string; code: string; reason?: string }
  return { name, code, ...(reason !== undefined && { reason }) }
}

function summaryOf(thrown: unknown): string {
  const { name, ...codes } = failureFacts(thrown)
  const list = Object.values(codes).join(', ')
  return list === '' ? name : `${name} (${list})`
}

const messageHidden = 'its message is hidden: to see it, set SVC_ERROR_DETAIL=full'

/** Describes a failure in one line. */
export function describeFailure(thrown: unknown, detail: ErrorDetail | undefined): string {
  const { message, cause }: ErrorLike = Object(thrown)
  const isShown = showsAll(detail) || hasBrand(thrown)
  const text = typeof message !== 'string' ? '' : isShown ? `: ${message}` : ` (${messageHidden})`
  return `${summaryOf(thrown)}${text}${cause === undefined ? '' : ` [cause: ${summaryOf(cause)}]`}`
}

/** The calls in the stack of an error, each with a line and a column. Its first lines are the message. */
export function framesOf(thrown: unknown): string[] {
  const { message, stack }: ErrorLike = Object(thrown)
  const lines = String(stack).replace(String(message), '').split('\n')
  return lines.filter((line) => /^\s+at .{1,500}:\d+:\d+\)?$/.test(line))
}

/** The code of an error of this package, and the code or the class of any other. None of them is a value. */
export const errorType = (error: unknown): string => {
  const { name, code = name } = failureFacts(error)
  return code
}
