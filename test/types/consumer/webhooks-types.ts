// Misspelled on purpose: cspell:ignore aproved sesion vendordata

// Programs that a user writes with webhooks: which ones compile, and which do not.
import {
  type Check,
  createEventProcessor,
  createWebhookHandler,
  type EventConsumer,
  type Id,
  memoryStore,
  type Outcome,
  type Unlisted,
  type VerificationClient,
  verifyWebhook,
  verifyWebhookSignature,
  type WebhookCallbacks,
  type WebhookDecision,
  type WebhookErrorContext,
  type WebhookEvent,
  type WebhookEventOf,
  type WebhookEventType,
  type WebhookHandler,
  type WebhookHandlerOptions,
  type WebhookResult,
  type WebhookVerificationError,
  type WebhookVerificationReason,
} from 'identity-service-sdk'
import type { WebhookCallback, WebhookHeaders } from 'identity-service-sdk/webhooks'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

declare const client: VerificationClient
declare const event: WebhookEvent
declare const handler: WebhookHandler
declare const body: string
declare const headers: WebhookHeaders
/** The type of `process.env`. */
declare const env: Record<string, string | undefined>

// Events list their fields, and nothing else.
export function fields() {
  // @ts-expect-error a misspelled field
  const misspelled = event.sesion_id
  // @ts-expect-error a field that no event has
  const invented = event.decision?.outcome
  // @ts-expect-error a misspelled field in a fake
  const fake: Partial<WebhookEvent> = { vendordata: 'user-42' }
  const withoutDecision: Omit<WebhookEventOf<'verification.approved'>, 'decision'> = {
    event_id: 'evt_1',
    type: 'verification.approved',
    session_id: 'sess_1',
  }
  const type: Equal<(typeof withoutDecision)['type'], 'verification.approved'> = true
  const outcome: Outcome | null | undefined = event.decision?.decision
  const checks: Check[] | null | undefined = event.decision?.checks
  return { misspelled, invented, fake, type, outcome, checks }
}

// An event in a test is an object literal.
export const anEvent: WebhookEvent = {
  event_id: 'evt_1',
  type: 'verification.declined',
  session_id: 'sess_1',
  vendor_data: undefined,
  decision: { decision: 'DECLINED', checks: undefined },
}

// The types of events are listed.
export function types() {
  // @ts-expect-error a misspelled type
  const misspelled = event.type === 'verification.aproved'
  return { misspelled }
}

export function incomplete(given: WebhookEvent): string {
  switch (given.type) {
    case 'verification.approved':
    case 'verification.declined':
    case 'verification.in_review':
    case 'verification.abandoned':
      return given.type
    default: {
      // @ts-expect-error `verification.expired` has no case
      const rest: WebhookEventOf<Unlisted> = given
      return rest.event_id
    }
  }
}

// @ts-expect-error events of unlisted types need a `default`
export function withoutDefault(given: WebhookEvent): string {
  switch (given.type) {
    case 'verification.approved':
    case 'verification.declined':
    case 'verification.in_review':
    case 'verification.abandoned':
    case 'verification.expired':
      return given.type
  }
}

// A result has the members of its outcome.
export function outcomes(result: WebhookResult): string {
  const status: Equal<(typeof result)['status'], 200 | 400 | 413 | 500 | 503> = true
  const outcome: Equal<
    (typeof result)['outcome'],
    'processed' | 'duplicate' | 'test' | 'unhandled' | 'in_progress' | 'rejected' | 'failed'
  > = true
  // @ts-expect-error only results that are rejected or failed have an error
  const anyError = result.error
  switch (result.outcome) {
    case 'processed':
    case 'duplicate':
    case 'test':
    case 'unhandled': {
      const ok: 200 = result.status
      // @ts-expect-error nothing went wrong
      const none = result.error
      return `${ok} ${result.event.event_id} ${none}`
    }
    case 'in_progress': {
      const busy: 503 = result.status
      const seconds: string = result.headers['retry-after']
      return `${busy} ${seconds} ${result.event.type}`
    }
    case 'rejected': {
      const bad: 400 | 413 = result.status
      const error: WebhookVerificationError = result.error
      const reason: WebhookVerificationReason = error.reason
      // @ts-expect-error a rejected delivery has no event
      const none = result.event
      return `${bad} ${reason} ${none}`
    }
    case 'failed': {
      if (result.status === 503) return `${result.event.event_id} ${result.headers['retry-after']}`
      const failed: 500 = result.status
      const error: unknown = result.error
      // @ts-expect-error the event is missing if the clock failed
      const id = result.event.event_id
      return `${failed} ${error} ${id} ${result.event?.event_id}`
    }
    default: {
      const none: never = result
      return `${status} ${outcome} ${anyError} ${none}`
    }
  }
}

// A response needs no check of the outcome.
export async function respond(): Promise<{ statusCode: number; headers: Record<string, string> }> {
  const { status, headers } = await handler.handle({ body: '', headers: {} })
  return { statusCode: status, headers: { ...headers } }
}
export const toResponse = ({ status, outcome, headers }: WebhookResult): Response =>
  new Response(outcome, { status, headers })

// The functions of a handler work on their own.
export const { fetch: POST, handle } = handler
export const worker = { fetch: handler.fetch }
export const map = (requests: Request[]): Promise<Response[]> => Promise.all(requests.map(handler.fetch))

// A fake of a handler is an object literal.
export const fake: WebhookHandler = {
  handle: async () => ({ status: 200, outcome: 'duplicate', event: anEvent, headers: {} }),
  fetch: async () => new Response(),
}

// A missing environment variable is rejected by the handler, so it needs no cast.
export async function secrets() {
  const secret = env.SVC_WEBHOOK_SECRET
  await verifyWebhook({ body, headers, secret })
  await verifyWebhookSignature({ body, headers, secret: [env.NEW_SECRET, env.OLD_SECRET] })
  createWebhookHandler({ secret, onTestEvent: () => {} })
  // Without a secret, the environment variable SVC_WEBHOOK_SECRET is read.
  createWebhookHandler({ onTestEvent: () => {} })
  await verifyWebhook({ body, headers })
  // @ts-expect-error null is not a secret
  await verifyWebhook({ body, headers, secret: null })
  // @ts-expect-error a parsed body cannot be verified
  await verifyWebhook({ body: { event_id: 'evt_1' }, headers })
}

// Optional inputs may be undefined.
export const options: WebhookHandlerOptions = {
  secret: 'secret',
  store: undefined,
  toleranceSeconds: undefined,
  leaseMs: undefined,
  retainMs: undefined,
  maxBodyBytes: undefined,
  now: undefined,
  on: { 'verification.approved': undefined },
  onUnhandled: undefined,
  onTestEvent: undefined,
  onError: undefined,
}

// `on` has the listed types, each with its event.
export function callbacks() {
  const shared: WebhookCallback = async ({ session_id }) => void (await client.sessions.decision(session_id))
  const on: WebhookCallbacks = {
    'verification.approved': (given) => {
      const one: Equal<typeof given, WebhookEventOf<'verification.approved'>> = true
      return one
    },
    'verification.declined': shared,
    'verification.expired': env.ON_EXPIRED ? shared : undefined,
  }
  const onError = (error: unknown, { event: given }: WebhookErrorContext) => {
    console.error(error, given?.event_id)
  }
  const store = memoryStore()
  createWebhookHandler({ secret: 'secret', store: { ...store, get: async () => null }, on, onError })
  createWebhookHandler({
    secret: 'secret',
    // @ts-expect-error a misspelled type
    on: { 'verification.aproved': shared },
  })
  createWebhookHandler({
    secret: 'secret',
    // @ts-expect-error the callback of another type
    on: { 'verification.approved': (_: WebhookEventOf<'verification.declined'>) => undefined },
  })
  return on
}

// Headers are accepted as platforms have them.
export async function kindsOfHeaders(request: Request) {
  const secret = 'secret'
  const node: { [name: string]: string | string[] | undefined } = {}
  const plain = { 'X-Svc-Timestamp': '1', 'X-Svc-Signature': undefined }
  const got = { get: (name: string): string | undefined => plain['X-Svc-Timestamp'] + name }
  await verifyWebhook({ body, secret, headers: request.headers })
  await verifyWebhook({ body, secret, headers: node })
  await verifyWebhook({ body, secret, headers: plain })
  await verifyWebhook({ body, secret, headers: got })
  await verifyWebhook({ body, secret, headers: new Map([['x-svc-timestamp', '1']]) })
  // @ts-expect-error a header is not a number
  await verifyWebhook({ body, secret, headers: { 'x-svc-timestamp': 1 } })
}

// A function that is generic over the type of event.
export function only<Type extends WebhookEventType>(
  type: Type,
  callback: (id: Id<'session'>, decision: WebhookDecision | null | undefined, given: WebhookEventOf<Type>) => void,
): (given: WebhookEventOf<Type>) => void {
  return (given) => {
    console.log(type, given.event_id)
    callback(given.session_id, given.decision, given)
  }
}
export const approvals = only('verification.approved', (id, decision, { type }) =>
  console.log(id, decision?.decision, type),
)

// There is something to call.
export function handlers(given: WebhookHandlerOptions, consumer: EventConsumer) {
  const secret = env.SVC_WEBHOOK_SECRET
  const store = memoryStore()
  const right = [
    createWebhookHandler({ secret, onTestEvent: () => {} }),
    createWebhookHandler({ secret, store, on: { 'verification.approved': ({ type }) => type.length } }),
    createWebhookHandler({ secret, store: undefined, consumers: [consumer] }),
    createWebhookHandler({ secret, onUnhandled: (_, { signal }) => signal.throwIfAborted() }),
    createWebhookHandler({ onTestEvent: ({ event_id }) => console.log(event_id) }),
    createWebhookHandler(given),
    createWebhookHandler({ ...given, secret: ['new', 'old'] }),
    createEventProcessor({ store, consumers: [consumer] }),
  ]
  const wrong = [
    // @ts-expect-error nothing to call
    createWebhookHandler({ secret }),
    // @ts-expect-error nothing to call
    createWebhookHandler({ secret, store, onError: console.error }),
    // @ts-expect-error nothing to call
    createEventProcessor({ name: 'mail', store }),
    // @ts-expect-error a callback that may be undefined is not one
    createWebhookHandler({ secret, onUnhandled: Math.random() > 0.5 ? console.log : undefined }),
  ]
  return { right, wrong }
}
