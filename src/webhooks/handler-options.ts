import { joinNames, type OptionNames } from '../errors/option-names.ts'
import { type EventProcessorOptions, processorOptionNames } from './processing/processor-options.ts'
import type { WebhookTrust } from './signature.ts'

/** How a webhook handler verifies deliveries. */
export interface DeliveryOptions extends WebhookTrust {
  /**
   * Maximum size of a body, in bytes. A larger body is rejected with 413. A decision may contain portraits.
   *
   * @default 8_388_608 (8 MiB)
   */
  readonly maxBodyBytes?: number | undefined
}

/**
 * Options of a webhook handler: how deliveries are verified, and the options of an event processor. They are read once.
 * Later changes to the object have no effect.
 */
export type WebhookHandlerOptions<Tx = undefined> = DeliveryOptions & EventProcessorOptions<Tx>

export const handlerOptionNames = /* @__PURE__ */ joinNames(
  {
    secret: true,
    toleranceSeconds: true,
    now: true,
    maxBodyBytes: true,
  },
  processorOptionNames,
) satisfies OptionNames<WebhookHandlerOptions>
