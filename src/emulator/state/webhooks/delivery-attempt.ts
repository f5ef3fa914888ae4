import type { WebhookEvent } from '../../../contract/webhooks/events.ts'
import { signWebhook } from '../../../webhooks/signature.ts'
import type { DeliveryFault, DeliveryFaultEffect } from './delivery-faults.ts'

/** One POST of an event. */
export interface DeliveryAttempt {
  /** ISO 8601, by the emulator's clock. */
  readonly at: string
  /** What was sent. */
  readonly request: {
    /** Names in lower case. */
    readonly headers: Readonly<Record<string, string>>
    /** The bytes that were signed, as text. */
    readonly body: string
  }
  /** What was made to go wrong with it. */
  readonly fault?: DeliveryFault['kind']
  /** What the receiver answered; missing while it has not, and when `error` tells why it never will. */
  readonly status?: number
  /** The beginning of the receiver's answer, up to 4 Ki bytes; missing where it is empty. */
  readonly responseBody?: string
  /** Why no answer came. */
  readonly error?: string
}

export interface DeliverySettings {
  readonly secret: string
  readonly deliver: typeof globalThis.fetch
}

/** A receiver that is silent for longer counts as failed. */
const receiverTimeoutMs = 10_000

/** Of an answer, no more is kept. */
const keptBytes = 4096

/**
 * Signs and posts an event, and writes into `attempt` what was sent and what came back.
 *
 * @returns whether the receiver took it
 */
export async function sendEvent(
  { event, url }: { readonly event: WebhookEvent; readonly url: string },
  attempt: { -readonly [Field in keyof DeliveryAttempt]: DeliveryAttempt[Field] },
  {
    secret,
    deliver,
    now,
    mishap,
  }: DeliverySettings & { readonly now: Date; readonly mishap: DeliveryFaultEffect | undefined },
): Promise<boolean> {
  const ageSeconds = mishap?.kind === 'late' ? (mishap.ageSeconds ?? 0) : 0
  const { headers, body } = await signWebhook({
    event,
    secret: mishap?.kind === 'bad_signature' ? `${secret}, but not quite` : secret,
    timestamp: Math.floor(now.getTime() / 1000) - ageSeconds,
  })
  attempt.request = { headers: { ...headers, 'content-type': 'application/json', 'x-emulator': '1' }, body }
  try {
    const response = await deliver(url, {
      method: 'POST',
      ...attempt.request,
      redirect: 'manual',
      signal: AbortSignal.timeout(receiverTimeoutMs),
    })
    attempt.status = response.status
    const answer = await beginningOf(response)
    if (answer !== '') attempt.responseBody = answer
    return response.ok
  } catch (error) {
    // Once the status is there, the receiver has spoken, whatever becomes of the rest.
    if (attempt.status === undefined) attempt.error = reasonOf(error)
    return attempt.status !== undefined && attempt.status >= 200 && attempt.status < 300
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let left = keptBytes
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    text += decoder.decode(part.value.subarray(0, left), { stream: true })
    left -= part.value.byteLength
    if (left > 0) continue
    // An unread body would hold the connection open.
    await reader?.cancel()
    break
  }
  return text
}

/** `fetch` hides the reason of a failure one level down. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
