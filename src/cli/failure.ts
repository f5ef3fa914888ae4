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
  /** Empty if commander has printed the message already. */
  readonly message: string
  readonly requestId?: string
  /** The command that explains the code. */
  readonly explain?: string
}

/** Describes a thrown value. Returns `undefined` for help and version, which commander throws too. */
export function toFailureReport(thrown: unknown): FailureReport | undefined {
  if (thrown instanceof CommanderError) {
    if (thrown.exitCode === 0) return undefined
    return { exit: 'usage', code: 'usage', message: '' }
  }
  if (thrown instanceof CommandFailure) return thrown
  if (isSdkError(thrown)) return fromSdkError(thrown)
  const { code, syscall, message } = Object(thrown) as NodeJS.ErrnoException
  if (typeof syscall === 'string' && code) return { exit: 'usage', code, message }
  return { exit: 'fault', code: 'fault', message: `Internal error: ${message ?? String(thrown)}` }
}

function fromSdkError(error: SdkError): FailureReport {
  const { code, message } = error
  if (error instanceof AbortedError) return { exit: 'interrupted', code, message }
  if (error instanceof ConfigurationError || error instanceof InvalidParamsError)
    return { exit: 'usage', code, message }
  const requestId = error instanceof ApiError ? error.requestId : undefined
  const explain = explainCommand(code)
  return {
    exit: 'service',
    code,
    message,
    ...(requestId === undefined ? {} : { requestId }),
    ...(explain === undefined ? {} : { explain }),
  }
}

/** Returns the command that explains an error code, or `undefined` if the contract does not list the code. */
export const explainCommand = (code: string): string | undefined =>
  Object.hasOwn(errorCatalog, code) ? `npx identity-service explain ${code}` : undefined
