import {
  AbortedError,
  ApiError,
  ConfigurationError,
  describeErrorCode,
  InvalidParamsError,
  isSdkError,
  type SdkError,
} from 'identity-service-sdk'
import { factsOfThrown } from '../errors/error-detail.ts'
import { ProxyFailure } from '../http/transport/tunnel.ts'
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
  const { syscall, path = '' } = Object(thrown) as NodeJS.ErrnoException
  const { name, code } = factsOfThrown(thrown)
  if (typeof syscall === 'string' && code !== undefined)
    return { exit: 'usage', code, message: `${code} at ${syscall} ${path}`.trim() }
  if (code === 'ERR_ACCESS_DENIED') {
    const flag = permissionFlags[String((thrown as { permission?: unknown }).permission)]
    const advice = flag === undefined ? '' : ` Start node with ${flag}.`
    return { exit: 'usage', code, message: `Node's permission model forbids this (${code}).${advice}` }
  }
  return {
    exit: 'fault',
    code: 'fault',
    message: `Internal error: ${name}${code === undefined ? '' : ` (${code})`}`,
  }
}

/** Flags that grant what Node's permission model forbids, by the permission that its errors name. */
const permissionFlags: Partial<Record<string, string>> = {
  ChildProcess: '--allow-child-process',
  FileSystemRead: '--allow-fs-read',
  FileSystemWrite: '--allow-fs-write',
  Net: '--allow-net',
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

/**
 * Returns the message of a failure that the command wrote, and of any other its code, or else its class. `fetch` puts
 * its reason into the `cause`.
 */
export function reasonOf(thrown: unknown): string {
  if (thrown instanceof CommandFailure) return thrown.message
  const { name, code } = factsOfThrown(thrown)
  const { cause } = thrown as Error
  if (cause instanceof ProxyFailure && code === undefined) return reasonOf(cause)
  const reason = code ?? factsOfThrown(cause).code
  if (thrown instanceof ProxyFailure) return `${thrown.message}${reason === undefined ? '' : ` (${reason})`}`
  return reason ?? name
}
