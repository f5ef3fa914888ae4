// Receives webhooks: every listed type of event has its case.
import {
  createWebhookHandler,
  type Unlisted,
  verifyWebhook,
  type WebhookEvent,
  type WebhookEventOf,
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
