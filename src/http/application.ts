import { ConfigurationError } from '../errors/sdk-error.ts'
import { share, sharedKey, sharedValue } from '../runtime/copies.ts'
import { isEmulatorHost } from '../runtime/secure-url.ts'

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

/**
 * Rejects a record of another application. A record without a name is accepted, as 1.0.0-rc.1 wrote them.
 *
 * @param owner what reads the record
 * @throws {ConfigurationError}
 */
export function checkApplication(owner: string, found: unknown, own: string | undefined): void {
  if (found === undefined || own === undefined || found === own) return
  throw new ConfigurationError({
    message: `${owner}: the record in the store belongs to an application with another baseUrl or clientId. Give each application a prefix, a table or a name of its own, or check baseUrl and clientId (docs/guides/scaling.md in the package).`,
  })
}
