import { FailureLog } from '../../errors/failure-log.ts'
import { aFunction, aHandlerName, aLogger, checkOptions, type OptionRules } from '../../errors/options.ts'
import { StoreError } from '../../errors/sdk-error.ts'
import { parseJson } from '../../runtime/bytes.ts'
import type { Logger } from '../../runtime/logger.ts'
import { bindMethods } from '../../runtime/public-class.ts'
import { realTiming, type Timing, timing } from '../../runtime/timing.ts'
import { Cells } from '../../stores/cell.ts'
import { guardedStore } from '../../stores/operation.ts'
import type { Store } from '../../stores/store.ts'
import { type DriftReport, emptyReport, mergeReports, readReport, reportOf } from './drift-report.ts'
import { findDrift } from './find-drift.ts'
import type { ReceivedResponse } from './received-response.ts'

/** Options of {@link createDriftRecorder}. They are read once. Later changes to the object have no effect. */
export interface DriftRecorderOptions {
  /**
   * Adds up what all processes that share it record. A process writes at most once a minute, if it has something new.
   *
   * @default none: the memory of this process
   */
  readonly store?: Store | undefined
  /** The name of the report in the store: 1 to 64 letters, digits, underscores, dots and hyphens. @default 'default' */
  readonly name?: string | undefined
  /**
   * Receives an `error` if the store failed. What could not be written is kept and written later.
   *
   * @default none: `console.error`
   */
  readonly logger?: Logger | undefined
  /** The time, for tests. @default the system clock */
  readonly now?: (() => Date) | undefined
}

const optionRules = {
  store: true,
  name: aHandlerName,
  logger: aLogger,
  now: aFunction,
} satisfies OptionRules<DriftRecorderOptions>

/** Records where responses differ from the service contract. */
export interface DriftRecorder {
  /**
   * Compares a response with the contract. Pass it as `onDrift` to any number of clients.
   *
   * @example
   * const observed = client.withOptions({ onDrift: drift.record })
   */
  readonly record: (response: ReceivedResponse) => void
  /**
   * Returns what was recorded: names and types, and no values. With a store, what all processes have written.
   *
   * @throws {StoreError}
   *
   * @example
   * console.log(JSON.stringify(await drift.report()))
   */
  report(): Promise<DriftReport>
  /**
   * Writes what was recorded since the last write to the store. Call it before the process ends.
   *
   * @throws {StoreError} what could not be written is kept
   *
   * @example
   * await drift.flush()
   */
  flush(): Promise<void>
}

const writeIntervalMs = 60_000

/** The id makes each text unique, as a cell requires: two processes may find the same at the same time. */
const encode = (_: string, report: DriftReport) => JSON.stringify({ ...report, writeId: crypto.randomUUID() })

function decode(key: string, text: string | null): DriftReport {
  const report = text === null ? emptyReport : readReport(parseJson(text))
  if (report) return report
  throw new StoreError({ message: `The value of ${key} is not a drift report. Delete it from the store.` })
}

/**
 * Creates a recorder of what the service sends and the contract does not list: fields, types, values of documented
 * fields, error codes and statuses, by operation. It records names, types, counts and times, and never a value. Names
 * that may be values, such as the keys of a map, become `*`. Responses of `experimental` operations are not compared.
 *
 * @throws {ConfigurationError} an option has a wrong value, or a name that is not an option
 *
 * @example
 * const drift = createDriftRecorder()
 * await client.withOptions({ onDrift: drift.record }).sessions.list()
 * console.log(await drift.report())
 */
export function createDriftRecorder(options: DriftRecorderOptions = {}): DriftRecorder {
  checkOptions('createDriftRecorder', options, optionRules)
  return bindMethods(new Recorder(options))
}

class Recorder implements DriftRecorder {
  readonly #cells: Cells<DriftReport> | undefined
  readonly #key: string
  readonly #failures: FailureLog
  readonly #timing: Timing
  readonly #now: () => Date
  /** Without a store, all that was recorded. */
  #unwritten = emptyReport
  #writtenAt = Number.NEGATIVE_INFINITY
  #writing: Promise<unknown> = Promise.resolve()

  constructor(options: DriftRecorderOptions & { readonly [timing]?: Partial<Timing> }) {
    const { store, name = 'default', logger, now = () => new Date() } = options
    const time: Timing = { ...realTiming, ...options[timing] }
    this.#timing = time
    this.#now = now
    this.#key = `drift:${name}`
    this.#failures = new FailureLog({ logger, timing: time })
    if (store === undefined) return
    const guarded = guardedStore('createDriftRecorder', store, 'the store of drift', { timing: time })
    this.#cells = new Cells(guarded, { form: { encode, decode }, timing: time })
  }

  readonly record = (response: ReceivedResponse): void => {
    const found = findDrift(response)
    if (found.length === 0) return
    this.#unwritten = mergeReports(this.#unwritten, reportOf(found, this.#now().toISOString()))
    if (this.#cells === undefined || this.#timing.now() - this.#writtenAt < writeIntervalMs) return
    this.#writtenAt = this.#timing.now()
    this.flush().catch((error) => this.#failures.failed({ what: 'writing the drift report', error }))
  }

  async report(): Promise<DriftReport> {
    if (this.#cells === undefined) return this.#unwritten
    await this.flush()
    return (await this.#cells.read(this.#key)).value
  }

  flush(): Promise<void> {
    const write = this.#writing.then(() => this.#write())
    // A failure belongs to its caller, and does not stop later writes.
    this.#writing = write.catch(() => {})
    return write
  }

  async #write(): Promise<void> {
    const written = this.#unwritten
    if (this.#cells === undefined || written === emptyReport) return
    this.#unwritten = emptyReport
    try {
      await this.#cells.update(this.#key, (stored) => mergeReports(stored, written))
    } catch (error) {
      this.#unwritten = mergeReports(written, this.#unwritten)
      throw error
    }
  }
}
