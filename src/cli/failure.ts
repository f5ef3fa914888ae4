import { CommanderError } from 'commander'
import {
  AbortedError,
  ApiError,
  ConfigurationError,
  errorCatalog,
  InvalidParamsError,
  isSdkError,
  type SdkError,
} from '../errors.ts'
import type { ExitCode } from './exit-codes.ts'

/** Ends a command with a sentence for whoever typed it. */
export class CommandFailure extends Error {
  readonly exit: ExitCode
  readonly code: string

  constructor(message: string, { exit = 'usage', code = exit }: { exit?: ExitCode; code?: string } = {}) {
    super(message)
    this.exit = exit
    this.code = code
  }
}

/** What is told about something thrown. */
export interface Told {
  readonly exit: ExitCode
  readonly code: string
  readonly message: string
  readonly requestId?: string
  readonly hint?: string
}

/** Help and the version, which commander throws too, are no failures: `undefined`. */
export function failureOf(thrown: unknown): Told | undefined {
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) return undefined
    return { exit: 'usage', code: 'usage', message: '' }
  }
  if (thrown instanceof CommandFailure) return thrown
  if (isSdkError(thrown)) return fromSdk(thrown)
  const { code, syscall, message } = Object(thrown) as NodeJS.ErrnoException
  if (typeof syscall === 'string' && code) return { exit: 'usage', code, message }
  return { exit: 'fault', code: 'fault', message: `unexpected: ${message ?? String(thrown)}` }
}

function fromSdk(error: SdkError): Told {
  const { code, message } = error
  if (error instanceof AbortedError) return { exit: 'interrupted', code, message }
  if (error instanceof ConfigurationError || error instanceof InvalidParamsError)
    return { exit: 'usage', code, message }
  const requestId = error instanceof ApiError ? error.requestId : undefined
  return {
    exit: 'service',
    code,
    message,
    ...(requestId === undefined ? {} : { requestId }),
    ...(Object.hasOwn(errorCatalog, code) ? { hint: `identity-service explain ${code}` } : {}),
  }
}
