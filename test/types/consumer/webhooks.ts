import {
  createWebhookHandler,
  memoryStore,
  signWebhook,
  verifyWebhook,
  verifyWebhookSignature,
  type WebhookEvent,
  type WebhookHandlerOptions,
  WebhookVerificationError,
} from 'identity-service-sdk/webhooks'

export function describeEvent(event: WebhookEvent): string {
  switch (event.type) {
    case 'verification.approved':
    case 'verification.declined': {
      const type: 'verification.approved' | 'verification.declined' = event.type
      const outcome: 'APPROVED' | 'DECLINED' | null | undefined = event.decision?.decision
      return `${type} ${outcome}`
    }
    case 'verification.in_review':
    case 'verification.abandoned':
    case 'verification.expired':
      return event.vendor_data ?? event.session_id
    default: {
      const name: string = event.type
      return name
    }
  }
}

const options: WebhookHandlerOptions = {
  secret: ['new', 'old'],
  store: memoryStore(),
  on: {
    'verification.approved': async ({ type, occurred_at }) => {
      const only: 'verification.approved' = type
      console.log(only, occurred_at?.slice(0, 10))
    },
  },
  onError: (error, { event }) => console.error(error, event?.event_id),
}
const handler = createWebhookHandler(options)

export const route = (request: Request): Promise<Response> => handler.fetch(request)

interface LambdaEvent {
  readonly body: string
  readonly headers: { [name: string]: string | undefined }
}

export async function lambda(request: LambdaEvent): Promise<number> {
  const { status, outcome, headers } = await handler.handle(request)
  if (outcome === 'in_progress') console.log(headers['retry-after'])
  return status
}

export async function receive(request: Request, secret: string): Promise<string> {
  const { headers } = request
  try {
    return describeEvent(await verifyWebhook({ body: await request.arrayBuffer(), headers, secret }))
  } catch (error) {
    if (error instanceof WebhookVerificationError && error.reason === 'signature_mismatch')
      return error.reason
    throw error
  }
}

export async function test(): Promise<number> {
  const body = new Uint8Array(8)
  const signed = await signWebhook({ body, secret: 's', timestamp: 1 })
  const same: Uint8Array = signed.body
  const event = await signWebhook({ event: { event_id: 'evt_1' }, secret: 's' })
  const { timestamp } = await verifyWebhookSignature({ ...event, secret: 's', now: () => new Date() })
  // @ts-expect-error: a parsed body cannot be verified
  await verifyWebhook({ body: { event_id: 'evt_1' }, headers: {}, secret: 's' })
  return timestamp + same.length
}
