/**
 * Verifies webhooks, and runs your callback once for each event.
 *
 * @module identity-service-sdk/webhooks
 */

export type { Id, Unlisted } from './contract/schema/open-types.ts'
export {
  type WebhookDecision,
  type WebhookEvent,
  type WebhookEventOf,
  type WebhookEventType,
  webhookEventTypes,
} from './contract/webhooks/events.ts'
export { isSdkError } from './errors/any-sdk-error.ts'
export { ConfigurationError, SdkError, StoreError } from './errors/sdk-error.ts'
export { WebhookVerificationError, type WebhookVerificationReason } from './errors/webhook-error.ts'
export type { Logger } from './runtime/logger.ts'
export type { SignalContext } from './stores/exclusive.ts'
export { type MemoryStoreOptions, memoryStore } from './stores/memory.ts'
export type {
  ListEntry,
  ListedValue,
  ListingStore,
  ScannableStore,
  Store,
  StoreLists,
  StoreRangeOptions,
  StoreSetOptions,
  StoreTimeLimit,
  StoreTtlOptions,
} from './stores/store.ts'
export { createWebhookHandler, type WebhookHandler } from './webhooks/handler.ts'
export type {
  ConsumersOption,
  DeliveryOptions,
  EventConsumer,
  EventOptions,
  EventProcessorOptions,
  FailureOptions,
  OnTestEventOption,
  OnUnhandledOption,
  WebhookCallback,
  WebhookCallbacks,
  WebhookCallbacksOption,
  WebhookErrorContext,
  WebhookHandlerOptions,
} from './webhooks/options.ts'
export { createEventProcessor, type EventProcessor } from './webhooks/processing/event-processor.ts'
export type {
  WebhookFailedResult,
  WebhookHandledResult,
  WebhookInProgressResult,
  WebhookRejectedResult,
  WebhookResult,
  WebhookStoreFailedResult,
} from './webhooks/result.ts'
export type { WebhookHeaders } from './webhooks/signature.ts'
export {
  type SignedWebhook,
  type SignWebhookOptions,
  type SignWebhookParams,
  signWebhook,
  type VerifyWebhookParams,
  verifyWebhookSignature,
  type WebhookBody,
  type WebhookDelivery,
  type WebhookTrust,
} from './webhooks/signature.ts'
export { verifyWebhook } from './webhooks/verify.ts'
