// Apart from the schema in events.ts, so that a program that verifies only signatures does not load it.

/** Headers of a delivery (contract, section 6), in lower case. The signature does not cover the event id header. */
export const timestampHeader = 'x-svc-timestamp'
export const signatureHeader = 'x-svc-signature'
export const eventIdHeader = 'x-svc-event-id'

/** Receivers reject deliveries that were signed longer ago than this (contract, section 8). */
export const webhookToleranceSeconds = 300
