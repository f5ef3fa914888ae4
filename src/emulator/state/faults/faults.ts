import { documented } from '../../../contract/documented.ts'
import type { Endpoint } from '../../../contract/endpoint.ts'
import { errorCatalog } from '../../../contract/errors/catalog.ts'
import type { KnownErrorCode } from '../../../contract/errors/codes.ts'
import { EmulatorError } from '../../emulator-error.ts'
import { ServiceError } from '../../server/service-error.ts'
import {
  type Malformation,
  malformations,
  malformedResponse,
  ScriptedResponse,
} from './malformed-response.ts'

/** Which requests a fault befalls. */
export interface FaultMatch {
  /** Such as `checks.liveness`. */
  readonly operation?: string | undefined
  /** The HTTP method. */
  readonly method?: string | undefined
  /** A path as it is requested, or its template, such as `/api/v2/session/{id}`. */
  readonly path?: string | undefined
}

/** Something that goes wrong on purpose; with several effects, the delay comes first. At least one of them is needed. */
export interface Fault {
  /** An operation's name, a method and a path (`'POST /api/v2/liveness'`), or an object. @default every operation */
  readonly match?: string | FaultMatch | undefined
  /** Waits this long, in milliseconds on the real clock. A caller that gives up meanwhile is not served any more. */
  readonly delayMs?: number | undefined
  /** Answers with this error, 400 to 599, in the documented form. @default the one that the catalogue gives `code` */
  readonly status?: number | undefined
  /** The error's code. @default one that the contract gives the operation, or else the status */
  readonly code?: KnownErrorCode | (string & {}) | undefined
  /** Further headers of that answer, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Answers with what is no answer of the service, under `status` or else 200: a web page as proxies send them
   * (`not_json`, also `true`), JSON that ends too early (`truncated`), no body (`empty`), an envelope around something
   * else (`wrong_shape`).
   */
  readonly malformed?: Malformation | true | undefined
  /** Drops the connection instead of answering: `fetch` rejects with a TypeError, a socket is destroyed. */
  readonly reset?: boolean | undefined
  /**
   * `before`: nothing has been done, nothing is charged. `after`: the operation was carried out, charged and
   * kept under its `Idempotency-Key`; only its answer is late or lost.
   *
   * @default 'before'
   */
  readonly when?: 'before' | 'after' | undefined
  /** How many requests it befalls. @default 1 (`Infinity` for all) */
  readonly times?: number | undefined
}

/** The connection is gone. A TypeError, since that is what `fetch` rejects with. */
export class ConnectionReset extends TypeError {
  constructor() {
    const cause = Object.assign(new Error('the emulator reset the connection'), { code: 'ECONNRESET' })
    super('fetch failed', { cause })
  }
}

const codeByStatus: Readonly<Record<number, KnownErrorCode>> = {
  400: 'validation_error',
  401: 'invalid_api_key',
  403: 'forbidden',
  404: 'not_found',
  409: 'idempotency_in_progress',
  410: 'expired',
  413: 'image_too_large',
  422: 'unprocessable',
  423: 'verification_soft_locked',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'engine_unreachable',
}

function codeFor(status: number, endpoint: Endpoint): string {
  const own = documented
    .get(endpoint.operation)
    ?.errors.find((code) => catalogued(code)?.statuses.includes(status))
  // The contract has no code for the others, such as 502 of a proxy.
  return own ?? codeByStatus[status] ?? 'emulated_fault'
}

const catalogued = (code: string) =>
  Object.hasOwn(errorCatalog, code) ? errorCatalog[code as KnownErrorCode] : undefined

function readMatch(match: Fault['match']): FaultMatch {
  if (typeof match !== 'string') return match ?? {}
  const [method, path] = match.split(' ')
  return path === undefined ? { operation: match } : { method, path }
}

const matches = ({ operation, method, path }: FaultMatch, endpoint: Endpoint, requested?: string) =>
  (operation ?? endpoint.operation) === endpoint.operation &&
  (method?.toUpperCase() ?? endpoint.method) === endpoint.method &&
  (path === undefined ||
    path === endpoint.path ||
    path === requested ||
    (requested === undefined && fits(path, endpoint)))

function fits(path: string, endpoint: Endpoint): boolean {
  const segments = endpoint.path.split('/')
  const asked = path.split('/')
  return (
    segments.length === asked.length && segments.every((one, i) => one === asked[i] || one.startsWith('{'))
  )
}

/** One fault that struck a request. */
export interface FaultEffect {
  before(signal: AbortSignal): Promise<void>
  after(signal: AbortSignal): Promise<void>
}

const noEffect: FaultEffect = { before: async () => {}, after: async () => {} }

/** A fault, and how often it will strike. */
interface PendingFault {
  readonly id: number
  readonly fault: Fault
  readonly match: FaultMatch
  left: number
}

/** The faults that wait for their requests. */
export class Faults {
  #waiting: PendingFault[] = []
  #lastId = 0

  get pending(): readonly Readonly<PendingFault>[] {
    return this.#waiting
  }

  /** @param served the operations, so that a fault that could never strike is refused */
  add(fault: Fault, served: readonly Endpoint[]): void {
    const match = readMatch(fault.match)
    const { status, code, malformed, times = 1 } = fault
    if (!served.some((endpoint) => matches(match, endpoint)))
      throw new EmulatorError(`no operation matches ${JSON.stringify(fault.match)}`)
    const hasEffect = [fault.delayMs, status, code, malformed].some((one) => one !== undefined)
    if (!hasEffect && fault.reset !== true)
      throw new EmulatorError('a fault needs delayMs, status, code, malformed or reset')
    if (malformed !== undefined && malformed !== true && !malformations.includes(malformed))
      throw new EmulatorError(`malformed is one of ${malformations.join(', ')}`)
    if (code !== undefined && status === undefined && catalogued(code)?.statuses[0] === undefined)
      throw new EmulatorError(`the contract gives ${code} no status: name one`)
    if (status !== undefined && !(Number.isInteger(status) && status >= 400 && status <= 599))
      throw new EmulatorError('the status of a fault must be 400 to 599')
    if (!(times === Number.POSITIVE_INFINITY || (Number.isInteger(times) && times > 0)))
      throw new EmulatorError('times must be a positive whole number, or Infinity')
    this.#lastId += 1
    this.#waiting.push({ id: this.#lastId, fault, match, left: times })
  }

  clear(): void {
    this.#waiting = []
  }

  remove(id: number): void {
    this.#waiting = this.#waiting.filter((one) => one.id !== id)
  }

  /** Uses up one turn of the first fault that matches. */
  take(endpoint: Endpoint, path: string): FaultEffect {
    const found = this.#waiting.find(({ match }) => matches(match, endpoint, path))
    if (found === undefined) return noEffect
    found.left -= 1
    if (found.left === 0) this.#waiting = this.#waiting.filter((one) => one !== found)
    const strike = (signal: AbortSignal) => carryOut(found.fault, endpoint, signal)
    return { ...noEffect, [found.fault.when ?? 'before']: strike }
  }
}

async function carryOut(fault: Fault, endpoint: Endpoint, signal: AbortSignal): Promise<void> {
  if (fault.delayMs !== undefined) await pause(fault.delayMs, signal)
  if (fault.reset === true) throw new ConnectionReset()
  const { malformed } = fault
  if (malformed !== undefined) {
    const kind = malformed === true ? 'not_json' : malformed
    throw new ScriptedResponse(malformedResponse(kind, fault.status ?? 200, fault.headers))
  }
  const status = fault.status ?? (fault.code && catalogued(fault.code)?.statuses[0])
  if (!status) return
  const code = fault.code ?? (status === 402 ? 'payment_required' : codeFor(status, endpoint))
  throw new ServiceError({
    status,
    code,
    message: catalogued(code)?.meaning ?? 'A fault that the emulator was told to produce.',
    headers: fault.headers,
  })
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const leave = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave)
      resolve()
    }, ms)
    signal.addEventListener('abort', leave, { once: true })
  })
}
