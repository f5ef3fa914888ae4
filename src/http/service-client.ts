import { type AsyncClosable, PrivateMembers } from '../runtime/public-class.ts'
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
