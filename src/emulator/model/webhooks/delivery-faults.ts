import type { WebhookEventType } from '../../../contract/webhooks/events.ts'
import { webhookToleranceSeconds } from '../../../contract/webhooks/headers.ts'
import type { Saved } from '../saved.ts'

/** A fault of the first delivery of an event. */
export interface DeliveryFault {
  /**
   * - `duplicate`: the event is sent twice.
   * - `late`: the event was signed `ageSeconds` ago.
   * - `bad_signature`: the event is signed with a wrong secret.
   * - `out_of_order`: the event is held back until another event was sent. `resend` sends it at once.
   * - `lost`: the event is not sent until you call `resend`.
   */
  readonly kind: 'duplicate' | 'late' | 'bad_signature' | 'out_of_order' | 'lost'
  /**
   * Type of the events to which the fault applies.
   *
   * @default every type
   */
  readonly type?: WebhookEventType | undefined
  /** Number of events to which the fault applies. `Infinity` means all. @default 1 */
  readonly times?: number | undefined
  /**
   * How long ago a `late` event was signed, in seconds.
   *
   * @default 301 (one second more than receivers may accept)
   */
  readonly ageSeconds?: number | undefined
}

/** The fault of one event. */
export type DeliveryFaultEffect = Pick<DeliveryFault, 'kind' | 'ageSeconds'>

export const deliveryFaultKinds = [
  'duplicate',
  'late',
  'bad_signature',
  'out_of_order',
  'lost',
] as const satisfies readonly DeliveryFault['kind'][]

interface PendingDeliveryFault {
  readonly fault: DeliveryFault
  left: number
}

/** Faults that apply to future events. */
export class DeliveryFaults {
  #pending: PendingDeliveryFault[]

  constructor(saved: Saved<DeliveryFaults> = []) {
    this.#pending = [...saved]
  }

  save(): readonly PendingDeliveryFault[] {
    return this.#pending
  }

  get pending(): readonly Readonly<PendingDeliveryFault>[] {
    return this.#pending
  }

  add(fault: DeliveryFault): void {
    const { times = 1, ageSeconds = webhookToleranceSeconds + 1 } = fault
    this.#pending.push({ fault: { ...fault, ageSeconds }, left: times })
  }

  clear(): void {
    this.#pending = []
  }

  /** Returns the first fault that matches and counts its use, or `undefined` if none matches. */
  take(type: string): DeliveryFaultEffect | undefined {
    const found = this.#pending.find(({ fault }) => (fault.type ?? type) === type)
    if (found === undefined) return undefined
    found.left -= 1
    if (found.left === 0) this.#pending = this.#pending.filter((one) => one !== found)
    return found.fault
  }
}
