import { VerificationClient, validateIdToken } from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'

declare global {
  // As the types of Bun declare it.
  namespace fetch {
    function preconnect(url: string | URL): void
  }
}

export const needsMore: typeof globalThis.fetch extends { preconnect: (url: string) => void } ? true : false = true

const traced = (input: string | URL | Request, init?: RequestInit) => fetch(input, init)
const emulator = createEmulator({ webhooks: { deliver: traced } })

export const clients = [
  new VerificationClient({ fetch }),
  new VerificationClient({ fetch: traced }),
  new VerificationClient({
    fetch: async (url, init) => fetch(url, { ...init, headers: new Headers(init.headers) }),
  }),
  new VerificationClient(emulator.options.verification),
]
export const claims = validateIdToken('token', {
  issuer: 'i',
  audience: 'a',
  jwks: { keys: [] },
  fetch: traced,
})
