// Apart from the schemas of webhook-events.ts: whoever checks signatures alone should not load those.

/** Headers of a delivery (contract, section 6), in lower case. */
export const webhookHeaders = {
  timestamp: 'x-svc-timestamp',
  eventId: 'x-svc-event-id',
  signature: 'x-svc-signature',
} as const

/** Receivers refuse deliveries signed longer ago than this (contract, section 8). */
export const webhookToleranceSeconds = 300
