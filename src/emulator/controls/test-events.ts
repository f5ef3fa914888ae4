import {
  testSessionPrefix,
  type WebhookEvent,
  type WebhookEventType,
  webhookEventStatuses,
} from '../../contract/webhooks/events.ts'
import { EmulatorError } from '../../errors/sdk-error.ts'
import type { Clock } from '../model/clock.ts'
import type { EmulatorSettings } from '../model/options/options.ts'
import type { Randomness } from '../model/randomness.ts'
import { isDecided } from '../model/sessions/hosted-session.ts'
import type { Deliveries, Delivery } from '../model/webhooks/deliveries.ts'

interface TestEventContext {
  readonly clock: Clock
  readonly random: Randomness
  readonly deliveries: Deliveries
  readonly settings: Pick<EmulatorSettings, 'webhooks'>
}

/**
 * Sends a test event to each webhook destination, as the developer console does (contract, section 6). It belongs to a
 * session that does not exist. Resolves after the first attempts.
 */
export async function sendTestEvent(
  { clock, random, deliveries, settings }: TestEventContext,
  type: WebhookEventType,
): Promise<Delivery[]> {
  const { destinations = [] } = settings.webhooks
  if (destinations.length === 0)
    throw new EmulatorError({
      message:
        'webhooks.sendTest: a test event needs a destination. List your receiver in the option webhooks.destinations of createEmulator.',
    })
  const status = webhookEventStatuses[type]
  const at = clock.now().toISOString()
  const verdict = isDecided(status) ? status : null
  const decision = { status, decision: verdict, decided_at: verdict && at, checks: [], vendor_data: null }
  return Promise.all(
    destinations.map((url) =>
      deliveries.send(url, {
        event_id: random.id('evt_'),
        type,
        session_id: random.id(testSessionPrefix),
        status,
        vendor_data: null,
        decision,
        occurred_at: at,
        test: true,
      } as WebhookEvent),
    ),
  )
}
