import {
  type CredentialProvider,
  type CredentialState,
  listProviders,
  listStates,
} from '../contract/verification/credentials.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { RequestOptions } from '../http/params/options.ts'

/** Lists the licences that can be checked. Read it before a licence check. Available as `client.credentials`. */
export class Credentials {
  readonly #http: HttpClient

  /** @internal */
  constructor(http: HttpClient) {
    this.#http = http
  }

  /**
   * Lists the jurisdictions that have at least one provider.
   *
   * @see service contract, section 4.5
   *
   * @example
   * const states = await client.credentials.listStates()
   */
  listStates(options?: RequestOptions): ApiPromise<CredentialState[]> {
    return this.#http.send(listStates, {}, options)
  }

  /**
   * Lists the licences of a jurisdiction, each with the fields that its check requires.
   *
   * @param state two letters, such as `CA`
   * @throws {NotFoundError} the service does not list this jurisdiction
   * @see service contract, sections 2.6 and 4.5
   *
   * @example
   * const providers = await client.credentials.listProviders('CA')
   * const provider = pickProvider(providers, choice) // its credential_code
   */
  listProviders(state: string, options?: RequestOptions): ApiPromise<CredentialProvider[]> {
    return this.#http.send(listProviders, { path: { state } }, options)
  }
}
