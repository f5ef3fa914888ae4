import { PrivateMembers } from '../runtime/public-class.ts'
import { isEmulatorHost } from '../runtime/secure-url.ts'

const ofClients = /* @__PURE__ */ new PrivateMembers<object, string>()

/**
 * Records what tells the application of a client apart in a store that applications share: the address of the service,
 * and the public id of the credentials, if they have one. An API key has none, and no digest of it may be stored.
 */
export function nameApplication(client: object, baseUrl: string, clientId?: string): void {
  // The port of an emulator often changes.
  const service = isEmulatorHost(new URL(baseUrl).hostname) ? 'emulator' : baseUrl
  ofClients.set(client, clientId === undefined ? service : `${service} ${clientId}`)
}

/** Returns the name of a client's application. A fake of a client has none. */
export const applicationOf = (client: object): string | undefined => ofClients.find(client)
