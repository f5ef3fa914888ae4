import * as z from 'zod/mini'
import { webhookEventTypes } from '../../../contract/webhooks/events.ts'
import { longestTimerMs } from '../../../runtime/timing.ts'
import type { Fault } from '../faults/faults.ts'
import { malformations } from '../faults/malformed-response.ts'
import { type DeliveryFault, deliveryFaultKinds } from '../webhooks/delivery-faults.ts'
import { described, headers, optional, times } from './fields.ts'

const statusForm = { error: 'must be a whole number from 400 to 599' }
const errorStatus = z.int(statusForm).check(z.gte(400, statusForm), z.lte(599, statusForm))

const delayForm = { error: `must be a number from 0 to ${longestTimerMs}` }

const matchRule = z.strictObject({
  operation: z.optional(z.string()),
  method: z.optional(z.string()),
  path: z.optional(z.string()),
})

/** The fields of a fault. */
export const faultFields = {
  match: optional(z.union([z.string(), matchRule]), 'An operation, or method and path. Every operation if missing.'),
  delayMs: optional(
    z.number().check(z.gte(0, delayForm), z.lte(longestTimerMs, delayForm)),
    'Delays the request, in milliseconds.',
  ),
  status: optional(errorStatus, 'Responds with an error of this status.'),
  code: optional(z.union([z.string(), z.strictObject({ unlisted: z.string() })]), 'The code of the error.'),
  headers: optional(headers, 'Additional headers of the error response.'),
  malformed: optional(z.literal([true, ...malformations]), 'Sends a malformed response.'),
  reset: optional(z.boolean(), 'Drops the connection.'),
  when: optional(z.enum(['before', 'after']), 'Before or after the operation is executed.'),
  times: times(1),
} satisfies Record<keyof Fault, unknown>

export const eventType = z.enum(webhookEventTypes)

/** The fields of a fault of deliveries. */
export const deliveryFaultFields = {
  kind: described(
    z.enum(deliveryFaultKinds),
    'duplicate: sent twice. late: signed too long ago. bad_signature: signed with a wrong secret. out_of_order: sent after the next event. lost: not sent.',
  ),
  type: optional(eventType, 'The type of the events. Every type if missing.'),
  ageSeconds: optional(z.int(), 'How long ago a late event was signed, in whole seconds.'),
  times: times(1),
} satisfies Record<keyof DeliveryFault, unknown>
