// Apart from the schemas of webhook-events.ts: whoever checks signatures alone should not load those.

/** Headers of a delivery (contract, section 6), in lower case. The event id alone is not signed. */
export const timestampHeader = 'x-svc-timestamp'
export const signatureHeader = 'x-svc-signature'
export const eventIdHeader = 'x-svc-event-id'

/** Receivers refuse deliveries signed longer ago than this (contract, section 8). */
export const webhookToleranceSeconds = 300
