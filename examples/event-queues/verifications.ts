import { createVerificationManager, type ScannableStore, type VerificationClient } from 'identity-service-sdk'

const { PORT = '3000', WORKFLOW_ID = 'wf_identity' } = process.env
export const { PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env

interface Settings {
  client: VerificationClient
  store: ScannableStore
}

/**
 * Creates the manager: one verification for each person. It reads the outcome from the service, never from an event.
 * The app and the worker create the same one.
 */
export const createVerifications = ({ client, store }: Settings) =>
  createVerificationManager({
    client,
    store,
    session: {
      workflow_id: WORKFLOW_ID,
      redirect_url: `${PUBLIC_URL}/return`,
      callback: `${PUBLIC_URL}/webhooks`,
    },
  })
