import { type WebhookEventType, webhookEventStatuses } from '../../../contract/webhooks/events.ts'
import { webhookToleranceSeconds } from '../../../contract/webhooks/headers.ts'
import { EmulatorError } from '../../emulator-error.ts'

/** What goes wrong with the first sending of an event, on purpose. */
export interface DeliveryFault {
  /**
   * - `duplicate`: it is sent twice.
   * - `late`: it was signed `ageSeconds` ago.
   * - `bad_signature`: it is signed with a secret that nobody has.
   * - `out_of_order`: it is held back until another event was sent; `resend` sends it at once.
   * - `lost`: it is not sent at all, until `resend`.
   */
  readonly kind: 'duplicate' | 'late' | 'bad_signature' | 'out_of_order' | 'lost'
  /**
   * Which events it befalls.
   *
   * @default every type
   */
  readonly type?: WebhookEventType | undefined
  /** How many events it befalls. @default 1 (`Infinity` for all) */
  readonly times?: number | undefined
  /**
   * How long ago a `late` event was signed, in seconds.
   *
   * @default 301: one second more than receivers may take
   */
  readonly ageSeconds?: number | undefined
}

/** What befalls one event. */
export type DeliveryFaultEffect = Pick<DeliveryFault, 'kind' | 'ageSeconds'>

const kinds: Readonly<Record<DeliveryFault['kind'], true>> = {
  duplicate: true,
  late: true,
  bad_signature: true,
  out_of_order: true,
  lost: true,
}

export const deliveryFaultKinds = Object.keys(kinds) as readonly DeliveryFault['kind'][]

/** The faults that wait for their events. */
export class DeliveryFaults {
  #waiting: { readonly fault: DeliveryFault; left: number }[] = []

  get pending(): readonly { readonly fault: DeliveryFault; readonly left: number }[] {
    return this.#waiting
  }

  add(fault: DeliveryFault): void {
    const { kind, type, times = 1, ageSeconds = webhookToleranceSeconds + 1 } = fault
    if (!Object.hasOwn(kinds, kind)) throw new EmulatorError(`a delivery is not made to be ${kind}`)
    if (type !== undefined && !Object.hasOwn(webhookEventStatuses, type))
      throw new EmulatorError(`no event is of type ${type}`)
    if (!(times === Number.POSITIVE_INFINITY || (Number.isInteger(times) && times > 0)))
      throw new EmulatorError('times must be a positive whole number, or Infinity')
    if (!Number.isFinite(ageSeconds)) throw new EmulatorError('ageSeconds must be finite')
    this.#waiting.push({ fault: { ...fault, ageSeconds }, left: times })
  }

  clear(): void {
    this.#waiting = []
  }

  /** Uses up one turn of the first fault that fits. */
  take(type: string): DeliveryFaultEffect | undefined {
    const found = this.#waiting.find(({ fault }) => (fault.type ?? type) === type)
    if (found === undefined) return undefined
    found.left -= 1
    if (found.left === 0) this.#waiting = this.#waiting.filter((one) => one !== found)
    return found.fault
  }
}
