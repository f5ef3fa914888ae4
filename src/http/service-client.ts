import { share, sharedKey, sharedValue } from '../runtime/copies.ts'
import { type AsyncClosable, PrivateMembers } from '../runtime/public-class.ts'
import { isEmulatorHost } from '../runtime/secure-url.ts'
import type { HttpClient } from './http-client.ts'

const owned = /* @__PURE__ */ new PrivateMembers<ServiceClient, HttpClient>()

/** What every client has. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the class has what the interface declares
export abstract class ServiceClient {
  // The type of what sends the calls is not public.
  constructor(http: object) {
    owned.set(this, http as HttpClient)
  }

  /**
   * Closes this client: later calls are rejected. The process can exit without it. The connection pool belongs to the
   * client that was constructed: closing that one closes the pool, after the calls in progress, and with it every
   * client from `withOptions`. Closing a client from `withOptions` closes nothing else.
   *
   * @example
   * await client.close()
   */
  close(): Promise<void> {
    return owned.of(this).close()
  }

  /** @internal Declared by the interface, because not every program has the types of the symbol. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

export interface ServiceClient extends AsyncClosable {}

const application = /* @__PURE__ */ sharedKey('application.1')

/**
 * Records what tells the application of a client apart in a store that applications share: the address of the service,
 * and the public id of the credentials, if they have one. An API key has none, and no digest of it may be stored.
 */
export function nameApplication(client: object, baseUrl: string, clientId?: string): void {
  // The port of an emulator often changes.
  const service = isEmulatorHost(new URL(baseUrl).hostname) ? 'emulator' : baseUrl
  share(client, application, clientId === undefined ? service : `${service} ${clientId}`)
}

/** Returns the name of a client's application. A fake of a client has none. */
export function applicationOf(client: object): string | undefined {
  const name = sharedValue(client, application)
  // Some mocks return a function for any property.
  return typeof name === 'string' ? name : undefined
}
