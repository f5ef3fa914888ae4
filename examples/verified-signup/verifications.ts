import { createVerificationManager, type VerificationClient } from 'identity-service-sdk'
import { postgresStore } from 'identity-service-sdk/stores/postgres'
import type { Pool } from 'pg'

const { PORT = '3000', WORKFLOW_ID = 'wf_identity' } = process.env
export const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env

interface Settings {
  client: VerificationClient
  /**
   * The manager's own pool. While an event is handled, the inbox holds a connection of the app's pool. If the manager
   * needed a second one of the same pool, enough events at once would wait for each other.
   */
  pool: Pool
}

/** Creates the manager. The server and the reconcile job create the same one. */
export function createVerifications({ client, pool }: Settings) {
  return createVerificationManager({
    client,
    store: postgresStore(pool),
    session: (accountId) => ({
      workflow_id: WORKFLOW_ID,
      redirect_url: `${PUBLIC_URL}/accounts/${accountId}`,
      callback: `${PUBLIC_URL}/webhooks`,
    }),
    // Called for every change, whether an event, a page or the reconcile job found it. It sets a value, so running it
    // again changes nothing.
    onChange: ({ subject, to }) => pool.query('UPDATE accounts SET verification = $2 WHERE id = $1', [subject, to]),
  })
}
