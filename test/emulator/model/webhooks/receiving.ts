import type { EmulatorWebhookOptions } from '../../../../src/emulator/model/options/options.ts'
import { inProcess } from '../../support/service.ts'
import { callback, receiver, signatureOf } from '../../support/webhook-receivers.ts'

/** An emulator whose receiver records what it is sent. */
export function receiving(respond?: () => Response, options: EmulatorWebhookOptions = {}) {
  const { received, deliver } = receiver(respond)
  const service = inProcess({ webhooks: { deliver, ...options } })
  return {
    ...service,
    received,
    /** Creates a session and completes it, which sends an event. Returns its id. */
    end: async (status: 'APPROVED' | 'DECLINED' | 'IN_REVIEW') => {
      const { session_id } = await service.session({ callback })
      await service.emulator.sessions.complete(session_id, status)
      return session_id
    },
  }
}

/** Whether the signature of a delivery is valid. */
export async function isSigned(delivery: Request): Promise<boolean> {
  const body = await delivery.clone().text()
  return delivery.headers.get('x-svc-signature') === signatureOf(delivery.headers.get('x-svc-timestamp'), body)
}
