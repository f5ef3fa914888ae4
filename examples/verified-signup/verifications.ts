import { createVerificationManager, type ListingStore, type VerificationClient } from 'identity-service-sdk'
import type { Pool } from 'pg'

const { PORT = '3000', WORKFLOW_ID = 'wf_identity' } = process.env
export const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env

interface Settings {
  client: VerificationClient
  pool: Pool
  store: ListingStore
}

/** Creates the manager. The server and the reconcile job create the same one. */
export function createVerifications({ client, pool, store }: Settings) {
  return createVerificationManager({
    client,
    store,
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
