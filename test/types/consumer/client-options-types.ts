// Programs that a user writes with options of clients: which ones compile, and which do not.
import {
  type ClientOptions,
  type DispatcherLike,
  OidcClient,
  type OidcClientOptions,
  OrgClient,
  VerificationClient,
  type VerificationClientOptions,
} from 'identity-service-sdk'

declare const client: VerificationClient
declare const oidc: OidcClient
declare const org: OrgClient
declare const dispatcher: DispatcherLike
declare const url: string | undefined

// A client with other options is a client.
export async function derived() {
  const patient: VerificationClient = client.withOptions({
    deadlineMs: 60_000,
    headers: { 'x-tenant': 'acme' },
  })
  const others: [OrgClient, OidcClient] = [
    org.withOptions({ clientSecret: 'rotated', logger: console }),
    oidc.withOptions({ clockToleranceSeconds: 0, timeoutMs: undefined }),
  ]
  // @ts-expect-error the clients share the pool
  client.withOptions({ fetch: globalThis.fetch })
  // @ts-expect-error the clients share the pool
  org.withOptions({ dispatcher })
  // @ts-expect-error the clients share the pool
  oidc.withOptions({ connections: 10 })
  // @ts-expect-error the clients share the pool
  client.withOptions({ baseUrl: 'https://other.example.com' })
  // @ts-expect-error the clients share the keys of the issuer
  oidc.withOptions({ jwks: { cacheMs: 0 } })
  // @ts-expect-error a misspelled option
  client.withOptions({ timeout: 1000 })
  return { patient, others }
}

// `fetch` and `dispatcher` exclude each other.
export function transports(given: VerificationClientOptions, shared: ClientOptions) {
  const { fetch } = globalThis
  const right = [
    new VerificationClient({ fetch }),
    new VerificationClient({ dispatcher }),
    new VerificationClient({ fetch, dispatcher: undefined }),
    new VerificationClient({ dispatcher, fetch: undefined }),
    new VerificationClient(given),
    new VerificationClient({ ...given, apiKey: 'other', baseUrl: url }),
    new VerificationClient({ ...shared, apiKey: 'key' }),
    new OidcClient({ ...shared, clientId: 'id' }),
    new OrgClient({ ...shared, clientId: 'id' }),
  ]
  // @ts-expect-error both
  const one = new VerificationClient({ fetch, dispatcher })
  // @ts-expect-error both
  const two = new OrgClient({ fetch, dispatcher })
  // @ts-expect-error both
  const three: OidcClientOptions = { fetch, dispatcher }
  // @ts-expect-error both
  const four: ClientOptions = { fetch, dispatcher }
  return { right, wrong: [one, two, three, four] }
}
