import {
  AbortedError,
  ApiError,
  ConfigurationError,
  describeErrorCode,
  InvalidParamsError,
  isSdkError,
  type SdkError,
} from 'identity-service-sdk/errors'
import type { ExitCode } from './exit-codes.ts'
import { programName } from './program-name.ts'
import { withSettingNames } from './setting-names.ts'

/** Ends a command with a message that says what is wrong and what to do next. */
export class CommandFailure extends Error {
  readonly exit: ExitCode
  readonly code: string

  constructor(message: string, { exit = 'usage', code = exit }: { exit?: ExitCode; code?: string } = {}) {
    super(message)
    this.exit = exit
    this.code = code
  }
}

/** What the command line prints about a thrown value. */
export interface FailureReport {
  readonly exit: ExitCode
  readonly code: string
  readonly message: string
  readonly requestId?: string
  /** The command that describes more. */
  readonly details?: string
}

/** Describes a thrown value. */
export function toFailureReport(thrown: unknown): FailureReport {
  if (thrown instanceof CommandFailure) return thrown
  if (isSdkError(thrown)) return fromSdkError(thrown)
  const { code, syscall, message } = Object(thrown) as NodeJS.ErrnoException
  if (typeof syscall === 'string' && code) return { exit: 'usage', code, message }
  return { exit: 'fault', code: 'fault', message: `Internal error: ${message ?? String(thrown)}` }
}

function fromSdkError(error: SdkError): FailureReport {
  const { code } = error
  // Only the commands for members call the service.
  const message = withSettingNames(error.message, 'SVC_ORG_BASE_URL')
  if (error instanceof AbortedError) return { exit: 'interrupted', code, message }
  if (error instanceof ConfigurationError || error instanceof InvalidParamsError)
    return { exit: 'usage', code, message }
  const requestId = error instanceof ApiError ? error.requestId : undefined
  const details = explainCommand(code)
  return {
    exit: 'service',
    code,
    message,
    ...(requestId === undefined ? {} : { requestId }),
    ...(details === undefined ? {} : { details }),
  }
}

/** Returns the command that explains an error code, or `undefined` if the code is not known. */
export const explainCommand = (code: string): string | undefined =>
  describeErrorCode(code) === undefined ? undefined : `${programName} explain ${code}`

/** Returns the reason of a thrown error. `fetch` puts it into the `cause`. */
export function reasonOf(thrown: unknown): string {
  const { message, cause } = thrown as Error
  if (!(cause instanceof Error)) return message
  return cause.message || (cause as NodeJS.ErrnoException).code || message
}
