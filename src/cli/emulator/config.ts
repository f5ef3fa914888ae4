import type {
  CheckOutcome,
  CheckOutcomes,
  DeliveryFault,
  EmulatorOptions,
  EmulatorWebhookOptions,
  Fault,
  FaultOperation,
} from 'identity-service-sdk/emulator'

/** A fault of the next requests. It needs at least one effect. */
interface ConfiguredFault extends Pick<Fault, 'delayMs' | 'status' | 'headers' | 'malformed' | 'reset' | 'when'> {
  /**
   * Name of an operation, method and path (`POST /api/v2/liveness`), or an object of these.
   *
   * @default every operation
   */
  readonly match?:
    | FaultOperation
    | (string & {})
    | { readonly operation?: FaultOperation; readonly method?: string; readonly path?: string }
  /** The code of the error: one that the contract names for the operation, or an object for any other. */
  readonly code?: string | { readonly unlisted: string }
  /** Number of requests to which the fault applies. `"Infinity"` means all. @default 1 */
  readonly times?: number | 'Infinity'
}

/** A fault of the first delivery of the next events. */
interface ConfiguredDeliveryFault extends Omit<DeliveryFault, 'times'> {
  /** Number of events to which the fault applies. `"Infinity"` means all. @default 1 */
  readonly times?: number | 'Infinity'
}

/** A status, or an object. */
type ConfiguredOutcome =
  | NonNullable<CheckOutcome['status']>
  | (Pick<CheckOutcome, 'status' | 'score' | 'error'> & {
      /** Merged over the data that matches the status. */
      readonly data?: object
    })

/** The outcome of the next standalone checks of one type. */
interface ConfiguredCheck {
  /** The type of check. */
  readonly type: keyof CheckOutcomes
  /** The status, or an object with status, score, data and error. */
  readonly outcome: ConfiguredOutcome
  /** Number of checks that get the outcome. @default "Infinity" */
  readonly times?: number | 'Infinity'
}

/** The file of `identity-service-sdk emulator --config`: options of the emulator, and what happens at its start. */
export interface EmulatorConfig extends Omit<EmulatorOptions, 'webhooks' | 'outcomes' | 'onRequest' | 'clock'> {
  /** Address of the schema of this file, for editors. */
  readonly $schema?: string
  /** How webhooks are signed and delivered. */
  readonly webhooks?: Omit<EmulatorWebhookOptions, 'deliver'>
  /**
   * Outcomes of standalone checks that are not in `checks`.
   *
   * @default every check passes, except that age, location and licenses are evaluated
   */
  readonly outcomes?: { readonly [Type in keyof CheckOutcomes]?: ConfiguredOutcome }
  /** Faults of requests. */
  readonly faults?: readonly ConfiguredFault[]
  /** Faults of webhooks. */
  readonly webhookFaults?: readonly ConfiguredDeliveryFault[]
  /** Outcomes of standalone checks, in this order. Those with `times` are used before one without. */
  readonly checks?: readonly ConfiguredCheck[]
}
