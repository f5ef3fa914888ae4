// Receives webhooks: every listed type of event and every outcome of a delivery has its case.
import {
  createWebhookHandler,
  type Unlisted,
  verifyWebhook,
  type WebhookEvent,
  type WebhookEventOf,
  type WebhookResult,
  WebhookVerificationError,
} from 'identity-service-sdk/webhooks'

export function nextStep(event: WebhookEvent): string {
  switch (event.type) {
    case 'verification.approved':
      return `unlock ${event.vendor_data ?? event.session_id}`
    case 'verification.declined':
      return `close ${event.session_id}: ${event.decision?.decision ?? 'no decision'}`
    case 'verification.in_review':
      return 'wait for a person'
    case 'verification.abandoned':
    case 'verification.expired':
      return 'offer a new session'
    default:
      return skip(event)
  }
}

// A type that a later version lists does not fit here, so that the switch needs a case for it.
const skip = ({ type }: WebhookEventOf<Unlisted>): string => `skip ${type}`

export function summaryOf(result: WebhookResult): string {
  switch (result.outcome) {
    case 'processed':
    case 'duplicate':
    case 'test':
    case 'unhandled':
      return `${result.outcome} ${result.event.event_id}`
    case 'in_progress':
      return `again in ${result.headers['retry-after']} s`
    case 'rejected':
      return result.error.reason
    case 'failed':
      return `${result.event?.event_id ?? 'no event'}: ${String(result.error)}`
    default: {
      const missing: never = result
      return missing
    }
  }
}

export async function receive(request: Request, secret: string | undefined): Promise<Response> {
  try {
    const body = await request.arrayBuffer()
    return new Response(nextStep(await verifyWebhook({ body, headers: request.headers, secret })))
  } catch (error) {
    if (error instanceof WebhookVerificationError) return new Response(error.reason, { status: 400 })
    throw error
  }
}

export const { fetch } = createWebhookHandler({
  secret: ['new secret', 'old secret'],
  on: { 'verification.approved': async ({ vendor_data }) => console.log(vendor_data) },
})
