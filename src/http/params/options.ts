import { InvalidParamsError, type ParamIssue } from '../../errors/call-errors.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import type { Logger, RequestEvent } from '../events.ts'

/**
 * An undici `Dispatcher`, described by its shape: a `ProxyAgent`, a `Pool` of your own, a `MockAgent`.
 * Dispatchers of undici 6, 7 and 8 work.
 */
export interface DispatcherLike {
  /** Takes a request, and tells a handler what comes back. */
  // biome-ignore lint/complexity/noBannedTypes: the shape is undici's, whose types must not be needed here
  dispatch: Function
}

/** Read once, by the constructor. Later changes to the object have no effect. */
export interface ClientOptions {
  /**
   * Where the service is: `https`, or `http` to a loopback host; with or without a path.
   *
   * @default env `SVC_BASE_URL`
   */
  readonly baseUrl?: string | URL | undefined
  /**
   * Longest wait for one attempt, in milliseconds, up to the last byte of the body. Every retry starts a new
   * allowance; to bound the whole call, set `deadlineMs`.
   *
   * @default 30_000; 90_000 for `checks.credential` and `checks.kycCredential`, which take 10 to 60 seconds
   */
  readonly timeoutMs?: number | undefined
  /**
   * Longest wait for the whole call, in milliseconds: attempts, waits between them and the body.
   *
   * @default none
   */
  readonly deadlineMs?: number | undefined
  /**
   * Attempts after the first, 0 to 10. Only what is safe to repeat is repeated.
   *
   * @default 2
   */
  readonly maxRetries?: number | undefined
  /** Sent with every request, beside our own. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Sends the requests in place of the pooled undici transport: for mocks, edge runtimes and the emulator.
   * The environment variable `SVC_TRANSPORT=fetch` chooses the global one. Node's own keeps a copy of an upload
   * that is streamed, so large files are best left to the default.
   *
   * @default the pooled transport on Node, the global `fetch` elsewhere
   */
  readonly fetch?: typeof globalThis.fetch | undefined
  /**
   * An undici dispatcher for the pooled transport: a proxy or a pool of your own. Not together with `fetch`.
   *
   * @default a pool of our own
   */
  readonly dispatcher?: DispatcherLike | undefined
  /**
   * Sockets of our own pool.
   *
   * @default unlimited
   */
  readonly connections?: number | undefined
  /**
   * Offers HTTP/2 to the service. Where a server ends such a connection in good order (GOAWAY, as proxies do
   * after so many requests), undici 7 gives up what is under way on it: what is safe to repeat is repeated,
   * other calls fail with a `ConnectionError`.
   *
   * @default false
   */
  readonly http2?: boolean | undefined
  /**
   * Largest answer that is read, in bytes after decompression.
   *
   * @default 33_554_432 (32 MiB)
   */
  readonly maxResponseBytes?: number | undefined
  /** Hears of attempts, retries and odd answers. Secrets, personal data and images never reach it. @default silent */
  readonly logger?: Logger | undefined
  /** Hears of every attempt, for metrics and tracing. What it throws is logged and changes nothing. */
  readonly onEvent?: ((event: RequestEvent) => void) | undefined
  /**
   * What happens when an answer does not have the documented shape: refuse it, log it once an operation, or
   * do not look. Decisions, webhook events and tokens are always refused.
   *
   * @default 'warn'
   */
  readonly responseValidation?: 'strict' | 'warn' | 'off' | undefined
}

/** What one call may set for itself. */
export interface RequestOptions {
  /** Ends the call, waits included. */
  readonly signal?: AbortSignal | undefined
  /** As the client's, for this call, in milliseconds. @default the client's */
  readonly timeoutMs?: number | undefined
  /** As the client's, for this call, in milliseconds. @default the client's */
  readonly deadlineMs?: number | undefined
  /** As the client's, for this call. @default the client's */
  readonly maxRetries?: number | undefined
  /** Sent with this call, beside the client's; these win. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Names one logical call, 1 to 255 visible ASCII characters. Billable calls have one anyway; give your own
   * to repeat a call from another process, or after an `OutcomeUnknownError`, without a second charge.
   *
   * @default a random UUID for billable calls, none for others
   */
  readonly idempotencyKey?: string | undefined
}

/** Headers that we set ourselves, or that frame the message. */
const reservedHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])

const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/
const visibleAscii = /^[\x21-\x7e]{1,255}$/

/** What is wrong with a header of the caller's, without quoting its value. */
function headerFault(name: string, value: unknown): string | undefined {
  if (!headerName.test(name)) return 'is no header name'
  if (reservedHeaders.has(name.toLowerCase())) return 'is set by the client'
  if (typeof value !== 'string') return 'must be a string'
  if (!headerValue.test(value)) return 'must not hold line breaks, NUL or characters beyond Latin-1'
  return undefined
}

/** Whether a credential can travel in a header as it is. */
export const fitsHeader = (value: string) => value !== '' && headerValue.test(value) && value.trim() === value

const isPositiveInteger = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0
const isRetryCount = (value: unknown) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 10

/** The longest delay that a timer can hold. */
const longestTimerMs = 2 ** 31 - 1
export const isDuration = (value: unknown) => isPositiveInteger(value) && (value as number) <= longestTimerMs
export const durationForm = `a whole number of milliseconds from 1 to ${longestTimerMs}`

const isRecord = (value: unknown) =>
  typeof value === 'object' && value !== null && !(Symbol.iterator in value)

type Limits = Pick<RequestOptions, 'timeoutMs' | 'deadlineMs' | 'maxRetries' | 'headers'>

function* limitIssues(limits: Limits): Generator<ParamIssue> {
  for (const name of ['timeoutMs', 'deadlineMs'] as const) {
    const value = limits[name]
    if (value !== undefined && !isDuration(value)) {
      yield { path: name, message: `must be ${durationForm}` }
    }
  }
  if (limits.maxRetries !== undefined && !isRetryCount(limits.maxRetries)) {
    yield { path: 'maxRetries', message: 'must be a whole number from 0 to 10' }
  }
  const { headers = {} } = limits
  // A Headers object has no members of its own: what it holds would be dropped without a word.
  if (!isRecord(headers)) yield { path: 'headers', message: 'must be an object of names and values' }
  else
    for (const [name, value] of Object.entries(headers)) {
      const message = headerFault(name, value)
      if (message !== undefined) yield { path: `headers.${headerName.test(name) ? name : '?'}`, message }
    }
}

const isFunction = (value: unknown) => typeof value === 'function'

const isLogger = (value: Logger | null) =>
  (['debug', 'info', 'warn', 'error'] as const).every((level) => isFunction(value?.[level]))

/** What an option must do or be, where it is given. */
const forms: readonly (readonly [keyof ClientOptions, fits: (value: never) => boolean, form: string])[] = [
  ['connections', isPositiveInteger, 'be a positive whole number'],
  ['maxResponseBytes', isPositiveInteger, 'be a positive whole number'],
  ['fetch', isFunction, 'be a function'],
  ['onEvent', isFunction, 'be a function'],
  ['logger', isLogger, 'have the methods debug, info, warn and error'],
  ['http2', (value) => typeof value === 'boolean', 'be true or false'],
  ['dispatcher', (value: DispatcherLike | null) => isFunction(value?.dispatch), 'be an undici Dispatcher'],
  [
    'responseValidation',
    (value: string) => ['strict', 'warn', 'off'].includes(value),
    "be 'strict', 'warn' or 'off'",
  ],
]

/** @throws {ConfigurationError} where an option of the client cannot work */
export function checkClientOptions(options: ClientOptions): void {
  const issue = limitIssues(options).next().value
  if (issue) throw new ConfigurationError(`${issue.path} ${issue.message}`)
  if (options.fetch !== undefined && options.dispatcher !== undefined) {
    throw new ConfigurationError('give fetch or dispatcher, not both')
  }
  for (const [name, fits, form] of forms) {
    const value = options[name]
    if (value !== undefined && !fits(value as never)) throw new ConfigurationError(`${name} must ${form}`)
  }
}

/** @throws {InvalidParamsError} where an option of the call cannot work */
export function checkRequestOptions(options: RequestOptions, operation: string): void {
  const issues = [...limitIssues(options)]
  if (options.idempotencyKey !== undefined && !isIdempotencyKey(options.idempotencyKey)) {
    issues.push({ path: 'idempotencyKey', message: 'must be 1 to 255 visible ASCII characters' })
  }
  if (options.signal !== undefined && typeof options.signal?.addEventListener !== 'function') {
    issues.push({ path: 'signal', message: 'must be an AbortSignal' })
  }
  if (issues.length > 0) throw new InvalidParamsError(issues, { operation, attempts: 0 })
}

const isIdempotencyKey = (value: unknown) => typeof value === 'string' && visibleAscii.test(value)
