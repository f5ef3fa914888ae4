import { builtEntry, sdk } from '../own.js'

const { createEmulator } = /** @type {typeof import('identity-service-sdk/emulator')} */ (
  await import(builtEntry('emulator').href)
)

// With a wallet that pays for as many calls as fit into the time of a measurement.
const emulated = () =>
  new sdk.VerificationClient(createEmulator({ seed: 1, wallet: { balance: 1e9 } }).options.verification)
const workflow = { workflow_id: 'wf_identity' }

/**
 * Calls to an emulator in the process, and one to a stub of `fetch`.
 *
 * @returns {Record<string, () => Promise<() => unknown>>}
 */
export function works() {
  const stubbed = async () => {
    const data = await emulated().sessions.create(workflow)
    const text = JSON.stringify({ success: true, data, error: null })
    const fetch = async () => new Response(text, { headers: { 'content-type': 'application/json' } })
    const client = new sdk.VerificationClient({
      baseUrl: 'https://id.example.com',
      apiKey: 'key_bench_0123456789',
      fetch,
    })
    return () => client.sessions.retrieve('sess_1')
  }
  return {
    'a stub of fetch': stubbed,
    'a stub of fetch (control)': stubbed,
    'sessions.retrieve': async () => {
      const client = emulated()
      const { session_id } = await client.sessions.create(workflow)
      return () => client.sessions.retrieve(session_id)
    },
    'checks.age': async () => {
      const client = emulated()
      return () => client.checks.age({ dob: '1990-05-17', bands: [18] })
    },
    'sessions.create': async () => {
      const client = emulated()
      return () => client.sessions.create(workflow)
    },
  }
}
