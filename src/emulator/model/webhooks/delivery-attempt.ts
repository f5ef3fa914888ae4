import type { WebhookEvent } from '../../../contract/webhooks/events.ts'
import { readStart } from '../../../runtime/bytes.ts'
import { signWebhook } from '../../../webhooks/signature.ts'
import { emulatorHeaders } from '../response.ts'
import type { DeliveryFault, DeliveryFaultEffect } from './delivery-faults.ts'

/** One POST of an event. */
export interface DeliveryAttempt {
  /** ISO 8601, by the emulator's clock. */
  readonly at: string
  /** The request that was sent. */
  readonly request: {
    /** Names in lower case. */
    readonly headers: Readonly<Record<string, string>>
    /** The bytes that were signed, as text. */
    readonly body: string
  }
  /** The fault that was applied to it, if any. */
  readonly fault?: DeliveryFault['kind']
  /** Status of the receiver's response. Missing until the response arrives, and if there is an `error`. */
  readonly status?: number
  /** The first 4 KiB of the receiver's response. Missing if the body is empty. */
  readonly responseBody?: string
  /** Why there was no response. */
  readonly error?: string
}

export interface DeliverySettings {
  readonly secret: string
  readonly deliver: (url: string, init: RequestInit) => Promise<Response>
}

/** Time limit of one attempt. Without a response by then, it has failed. */
const receiverTimeoutMs = 10_000

/** Maximum number of bytes kept of a response. */
const maxResponseBytes = 4096

/**
 * Signs and posts an event. Adds the request and the response to `attempt`.
 *
 * @returns whether the receiver responded with a 2xx
 */
export async function sendEvent(
  { event, url }: { readonly event: WebhookEvent; readonly url: string },
  attempt: { -readonly [Field in keyof DeliveryAttempt]: DeliveryAttempt[Field] },
  {
    secret,
    deliver,
    now,
    fault,
  }: DeliverySettings & { readonly now: Date; readonly fault: DeliveryFaultEffect | undefined },
): Promise<boolean> {
  const ageSeconds = fault?.kind === 'late' ? (fault.ageSeconds ?? 0) : 0
  try {
    const { headers, body } = await signWebhook({
      event,
      secret: fault?.kind === 'bad_signature' ? `${secret}, but not quite` : secret,
      timestamp: Math.floor(now.getTime() / 1000) - ageSeconds,
    })
    attempt.request = { headers: { ...headers, ...emulatorHeaders }, body }
    const response = await deliver(url, {
      method: 'POST',
      ...attempt.request,
      redirect: 'manual',
      signal: AbortSignal.timeout(receiverTimeoutMs),
    })
    attempt.status = response.status
    const beginning = await readStart(response.body, maxResponseBytes)
    if (beginning !== '') attempt.responseBody = beginning
    return response.ok
  } catch (error) {
    // The status decides, even if reading the rest of the response failed.
    if (attempt.status === undefined) attempt.error = reasonOf(error)
    return attempt.status !== undefined && attempt.status >= 200 && attempt.status < 300
  }
}

/** Includes the message of the cause, because `fetch` reports the actual failure there. */
function reasonOf(error: unknown): string {
  const { message, cause } = Object(error) as Partial<Error>
  const { message: reason } = Object(cause) as Partial<Error>
  if (typeof message !== 'string') return String(error)
  return typeof reason === 'string' ? `${message}: ${reason}` : message
}
