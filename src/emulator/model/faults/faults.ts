import type { Endpoint } from '../../../contract/endpoint.ts'
import { errorCatalog, type KnownErrorCode } from '../../../contract/errors/catalog.ts'
import { EmulatorError } from '../../../errors/sdk-error.ts'
import { realTiming } from '../../../runtime/timing.ts'
import type { EmulatorRequest } from '../request.ts'
import type { Saved } from '../saved.ts'
import { ServiceError } from '../service-error.ts'
import { type FaultCode, readCode, type UnlistedCode } from './fault-code.ts'
import { type FaultTarget, type MatchRule, matchedEndpoints, matches, readMatch } from './fault-match.ts'
import { type Malformation, malformedResponse, ScriptedResponse } from './malformed-response.ts'

/** A deliberate fault. It needs at least one effect. With several effects, the delay comes first. */
export interface Fault<Target extends FaultTarget = FaultTarget> {
  /** Name of an operation, method and path (`'POST /api/v2/liveness'`), or an object. @default every operation */
  readonly match?: Target | undefined
  /**
   * Delays the request, in milliseconds on the real clock, from 0 to 2,147,483,647. If the client aborts the request in
   * the meantime, it is not processed further.
   */
  readonly delayMs?: number | undefined
  /**
   * Responds with an error of this status, from 400 to 599, in the documented form.
   *
   * @default the status that the error catalog lists for `code`
   */
  readonly status?: number | undefined
  /**
   * The code of the error: one that the contract names for the operation, or `{ unlisted: code }` for any other.
   *
   * @default a code that the contract lists for the operation, or else for the status
   */
  readonly code?: FaultCode<Target> | undefined
  /** Additional headers of the error response, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Sends a malformed response, with `status` or else 200: a web page like that of a proxy (`not_json`, or `true`),
   * JSON that ends too early (`truncated`), no body (`empty`), or an envelope with unexpected data (`wrong_shape`).
   */
  readonly malformed?: Malformation | true | undefined
  /** Drops the connection instead of responding: `fetch` rejects with a TypeError, and a socket is destroyed. */
  readonly reset?: boolean | undefined
  /**
   * `before`: the fault happens before anything is done or charged. `after`: the operation is executed, charged and
   * stored under its `Idempotency-Key`, and only its response is late or lost.
   *
   * @default 'before'
   */
  readonly when?: 'before' | 'after' | undefined
  /** Number of requests to which the fault applies. `Infinity` means all. @default 1 */
  readonly times?: number | undefined
}

/** Thrown if a fault drops the connection. A TypeError, because `fetch` rejects with one. */
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
  const documentedCode = endpoint.errors?.find((code) => catalogEntry(code)?.statuses.includes(status))
  // The contract lists no code for other statuses, such as the 502 of a proxy.
  return documentedCode ?? codeByStatus[status] ?? 'emulated_fault'
}

const catalogEntry = (code: string) =>
  Object.hasOwn(errorCatalog(), code) ? errorCatalog()[code as KnownErrorCode] : undefined

/** A fault whose operation and code are not checked by the compiler. */
interface AddedFault extends Omit<Fault, 'match' | 'code'> {
  readonly match?: string | MatchRule | undefined
  readonly code?: string | UnlistedCode | undefined
}

/** A fault whose code is a text. */
type ScriptedFault = Omit<AddedFault, 'code'> & { readonly code?: string | undefined }

/** A fault, and the number of requests to which it still applies. */
interface PendingFault {
  readonly fault: ScriptedFault
  readonly match: MatchRule
  left: number
}

/** Faults that apply to future requests. */
export class Faults {
  #pending: PendingFault[]

  constructor(saved: Saved<Faults> = []) {
    this.#pending = [...saved]
  }

  save(): readonly PendingFault[] {
    return this.#pending
  }

  get pending(): readonly Readonly<PendingFault>[] {
    return this.#pending
  }

  /** @param served the served endpoints, so that a fault that matches none of them is rejected */
  add(fault: AddedFault, served: readonly Endpoint[]): void {
    const match = readMatch(fault.match)
    const code = readCode(fault.code, matchedEndpoints(match, served))
    const { status, times = 1 } = fault
    const hasEffect = [fault.delayMs, status, code, fault.malformed].some((one) => one !== undefined)
    if (!hasEffect && fault.reset !== true)
      throw new EmulatorError({
        message: 'faults.add: a fault needs at least one of delayMs, status, code, malformed and reset',
      })
    if (code !== undefined && status === undefined && catalogEntry(code)?.statuses[0] === undefined)
      throw new EmulatorError({
        message: `faults.add: the contract lists no status for the code ${code}. Pass status too`,
      })
    this.#pending.push({ fault: { ...fault, code }, match, left: times })
  }

  clear(): void {
    this.#pending = []
  }

  /**
   * Runs work with the effect of the first fault that matches, and counts its use. A fault after the work replaces what
   * the work throws too, because a response is lost whatever it says.
   */
  async around<Result>(
    endpoint: Endpoint,
    { url, signal }: Pick<EmulatorRequest, 'url' | 'signal'>,
    work: () => Result,
  ): Promise<Awaited<Result>> {
    const fault = this.#take(endpoint, url.pathname)
    const apply = () => fault && applyFault(fault, endpoint, signal)
    const isAfter = fault?.when === 'after'
    if (!isAfter) await apply()
    try {
      return await work()
    } finally {
      if (isAfter) await apply()
    }
  }

  #take(endpoint: Endpoint, path: string): ScriptedFault | undefined {
    const found = this.#pending.find(({ match }) => matches(match, endpoint, path))
    if (found === undefined) return undefined
    found.left -= 1
    if (found.left === 0) this.#pending = this.#pending.filter((one) => one !== found)
    return found.fault
  }
}

async function applyFault(fault: ScriptedFault, endpoint: Endpoint, signal: AbortSignal): Promise<void> {
  if (fault.delayMs !== undefined) await pause(fault.delayMs, signal)
  if (fault.reset === true) throw new ConnectionReset()
  const { malformed } = fault
  if (malformed !== undefined) {
    const kind = malformed === true ? 'not_json' : malformed
    throw new ScriptedResponse(malformedResponse(kind, fault.status ?? 200, fault.headers))
  }
  const status = fault.status ?? (fault.code && catalogEntry(fault.code)?.statuses[0])
  if (!status) return
  const code = fault.code ?? (status === 402 ? 'payment_required' : codeFor(status, endpoint))
  throw new ServiceError({
    status,
    code,
    message: catalogEntry(code)?.meaning ?? 'A fault that was added to the emulator.',
    headers: fault.headers,
  })
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await realTiming.sleep(ms, signal)
  signal.throwIfAborted()
}
