import {
  testSessionPrefix,
  type WebhookDecision,
  type WebhookEventOf,
  webhookEventStatuses,
  webhookEventTypes,
} from '../../src/contract/webhooks/events.ts'
import {
  eventIdHeader,
  signatureHeader,
  timestampHeader,
  webhookToleranceSeconds,
} from '../../src/contract/webhooks/headers.ts'
import type { Components } from './components.ts'
import { event } from './examples.ts'
import type { JsonSchema } from './json-schema.ts'
import { headerName } from './names.ts'

const text: JsonSchema = { type: 'string' }
const maybeText: JsonSchema = { type: ['string', 'null'] }

/** The types of the fields of an event. The declaration of the contract validates few of them. */
const eventProperties = (components: Components) =>
  ({
    event_id: text,
    type: text,
    session_id: text,
    status: maybeText,
    vendor_data: maybeText,
    decision: {
      anyOf: [
        {
          type: 'object',
          properties: {
            status: maybeText,
            decision: maybeText,
            decided_at: maybeText,
            checks: { type: ['array', 'null'], items: components.check },
          } satisfies Readonly<Record<keyof WebhookDecision, JsonSchema>>,
        },
        { type: 'null' },
      ],
    },
    occurred_at: maybeText,
    test: { type: ['boolean', 'null'] },
  }) satisfies Readonly<Record<keyof WebhookEventOf<string>, JsonSchema>>

const parameter = (name: string, description: string) => ({
  name: headerName(name),
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

const parameters = [
  parameter(timestampHeader, `Unix seconds at signing. Reject an age above ${webhookToleranceSeconds} seconds.`),
  parameter(eventIdHeader, 'The unique id of the event. Process a duplicate once.'),
  parameter(
    signatureHeader,
    'The HMAC-SHA256 of `<timestamp>.<raw body>` with the signing secret, in lower-case hex. Compare it in constant time.',
  ),
]

/** Returns the webhooks by event type (contract, section 6). */
export function webhooksOf(components: Components): Readonly<Record<string, object>> {
  const base = components.add('WebhookEvent', () => ({
    ...components.described({ type: 'object', properties: eventProperties(components) }, ['WebhookEventOf']),
    required: ['event_id', 'type', 'session_id'],
    description: 'The fields of every event. The full decision comes from `sessions.decision` (contract, section 6).',
  }))
  const all = webhookEventTypes.map((type) => {
    const status = webhookEventStatuses[type]
    const schema: JsonSchema = { allOf: [base, { type: 'object', properties: { type: { const: type } } }] }
    const post = {
      operationId: type,
      summary: `A session becomes ${status}`,
      description: `Sent to the \`callback\` of the session. The session id of a test event starts with \`${testSessionPrefix}\`.`,
      tags: ['webhooks'],
      security: [],
      parameters,
      requestBody: {
        required: true,
        content: { 'application/json': { schema, example: { ...event, type, status } } },
      },
      responses: {
        200: { description: 'You have accepted the event.' },
        400: { description: 'You have rejected the event, because its signature is invalid.' },
      },
    }
    return [type, { post }]
  })
  return Object.fromEntries(all)
}
